"""The board as text: tables that names cannot break, and the verdict."""

from lsgnn.benchmark.comparison import Comparison
from tests.benchmark.rows import row_of


def test_the_board_by_hand() -> None:
    rows = [row_of("mlp", [80, 82], [70, 74], recall=(50.0, None)), row_of("gcn", [83, 85], [71, 75], cpu=None)]
    text = Comparison.of("d", "accuracy", (0, 1), rows, class_names=("a|b", "c\nd")).to_markdown()
    assert text.splitlines()[:8] == [
        "| model | validation accuracy, % | to the first [95 %] | test accuracy, % | to the first [95 %] | parameters "
        "| CPU seconds |",
        "|---|---|---|---|---|---|---|",
        "| GCN | 84.00 ± 1.00 |  | 73.00 ± 2.00 |  | 1,234 | – |",
        "| MLP | 81.00 ± 1.00 | -3.00 [-3.00, -3.00] | 72.00 ± 2.00 | -1.00 [-1.00, -1.00] | 1,234 | 1.0 |",
        "",
        "| test recall, % | a\\|b | c d |",
        "|---|---|---|",
        "| MLP | 50.0 | – |",
    ]
    assert "Take GCN: the best mean validation accuracy, 84.00 % over 2 splits." in text


def test_many_classes_are_cut_and_said_to_be() -> None:
    row = row_of("mlp", [80], recall=tuple(float(c) for c in range(15)))
    text = Comparison.of("d", "accuracy", (0,), [row], class_names=tuple(f"c{c}" for c in range(15))).to_markdown()
    assert "| c11 |" in text
    assert "c12" not in text
    assert "3 more classes" in text
