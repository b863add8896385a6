"""The verdict chooses by validation, says how sure that is, and lets test scores choose nothing."""

from lsgnn.benchmark.comparison import Comparison
from lsgnn.benchmark.verdict_of_comparison import verdict_of
from tests.benchmark.rows import row_of


def board(*rows) -> Comparison:
    return Comparison.of("d", "accuracy", range(len(rows[0].units)), rows)


def test_validation_chooses_and_test_is_told() -> None:
    # validation gaps 4, 5, 6: mean 5, error 1/√3, t = 4.3027: 2.52 to 7.48; test gaps -1, -2, -3
    gcn, mlp = row_of("gcn", [84, 85, 86], [70, 70, 70]), row_of("mlp", [80, 80, 80], [71, 72, 73])
    verdict = board(mlp, gcn).verdict
    assert verdict.model == "gcn"
    assert verdict.sentences == (
        "Take GCN: the best mean validation accuracy, 85.00 % over 3 splits.",
        "On validation it is 5.00 points ahead of MLP (95 % interval of the difference +2.52 to +7.48): "
        "a clear difference.",
        "On test it scores 70.00 %, 2.00 points behind MLP, the best there (95 % interval of the difference -4.48 to "
        "+0.48): within noise; test scores are no reason to choose another.",
    )


def test_where_splits_disagree_the_cheaper_model_is_taken() -> None:
    # gaps 3, -2, 1: mean 0.67, error 1.45
    gat, mlp = row_of("gat", [83, 80, 81], cpu=120.4), row_of("mlp", [80, 82, 80], cpu=2.0)
    first, against, *_ = board(gat, mlp).verdict.sentences
    assert first == (
        "Take MLP: its mean validation accuracy, 80.67 % over 3 splits, is within one standard error of the best, "
        "81.33 % of GAT, and it is cheaper (2.0 against 120 CPU seconds)."
    )
    assert against.startswith("On validation it is 0.67 points behind GAT")
    assert against.endswith("within noise.")
    dear = row_of("mlp", [80, 82, 80], cpu=200.0)
    assert board(gat, dear).verdict.model == "gat"
    assert board(gat, row_of("mlp", [80, 82, 80], cpu=None)).verdict.model == "gat"  # a cost that nobody knows


def test_a_cheap_model_that_is_behind_on_every_split_is_not_an_equal() -> None:
    gcn, majority = row_of("gcn", [90, 70], cpu=50), row_of("majority", [50, 69], cpu=0)
    assert not board(gcn, majority).rows[1].val_difference.is_clear  # two splits make any interval wide
    assert board(gcn, majority).verdict.model == "gcn"


def test_lsgnn_is_spoken_of_wherever_it_is() -> None:
    rows = [row_of(name, [score, score + 1]) for name, score in (("gcn", 80), ("mlp", 70), ("sgc", 65), ("lsgnn", 60))]
    sentences = board(*rows).verdict.sentences
    assert [next(n for n in ("MLP", "LSGNN") if f"ahead of {n}" in s) for s in sentences[1:3]] == ["MLP", "LSGNN"]
    assert not any("SGC" in sentence for sentence in sentences)


def test_one_split_or_one_model_is_said_to_be_little() -> None:
    verdict = verdict_of([row_of("gcn", [80.0]), row_of("mlp", [79.9], cpu=0.1)], "accuracy")
    assert verdict.model == "gcn"
    assert "on one split" in verdict.sentences[0]
    assert "one split does not tell how sure that is" in verdict.sentences[1]
    assert verdict_of([row_of("gcn", [80.0, 81.0])], "accuracy").sentences == (
        "Take GCN: the best mean validation accuracy, 80.50 % over 2 splits.",
    )
