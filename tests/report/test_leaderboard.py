"""The leader board on a page: verdict, next step, points of every split, both scores, classes, configurations."""

import re
from dataclasses import replace

import pytest

from lsgnn.benchmark.comparison import Comparison
from lsgnn.report import comparison_page
from lsgnn.report.leaderboard import leaderboard
from tests.benchmark.rows import row_of

EVIL = '<script>alert("x")</script>'


@pytest.fixture
def board() -> Comparison:
    mlp = row_of("mlp", [80, 82], [70, 74], recall=(60.0, None))
    gcn = replace(row_of("gcn", [99, 100], [98, 100], recall=(90.0, 50.0)), for_fit={"lr": 0.05})
    return Comparison.of("mine", "accuracy", (3, 5), [mlp, gcn], class_names=("a", EVIL), notes=("probed",))


def test_every_split_is_a_point_and_no_interval_leaves_the_range(board: Comparison) -> None:
    found = leaderboard(board)
    assert "MLP, split 3: 80.00" in found["val_chart"]
    assert "MLP, split 5: 74.00" in found["test_chart"]
    right = max(float(x) for x in re.findall(r'x2="([\d.]+)"[^>]* class="whisker', found["val_chart"]))
    hundred = re.search(r'<circle cx="([\d.]+)"[^>]*><title>GCN, split 5: 100.00', found["val_chart"])
    assert right == pytest.approx(float(hundred[1]), abs=0.1)  # 99.5 ± 6.4 ends at 100


def test_the_tables_hold_both_scores_costs_and_classes(board: Comparison) -> None:
    found = leaderboard(board)
    assert [cell for cell, _ in found["table"]["rows"][1]] == [
        *("MLP", "81.00 ± 1.00", "-18.50 [-24.85, -12.15]", "72.00 ± 2.00", "-27.00 [-39.71, -14.29]", "1,234", "1.0")
    ]
    assert [[cell for cell, _ in row] for row in found["classes"]["rows"]] == [
        ["a", "90.0", "60.0"],
        [EVIL, "50.0", "–"],
    ]
    assert found["configurations"][0] == ("GCN", [("lr", "0.1")])
    assert leaderboard(replace(board, rows=(row_of("mlp", [80, 82]),)))["classes"] is None


def test_the_page_says_what_to_take_and_what_to_do_next(board: Comparison) -> None:
    page = comparison_page(board, f"lsgnn fit {EVIL} --model gcn")
    assert "Take GCN: the best mean validation accuracy" in page
    assert "lsgnn fit &lt;script&gt;" in page
    assert EVIL not in page
    assert "probed" in page
    assert "<details><summary>GCN</summary>" in page
    assert "lsgnn.fit(graph, model=&#34;gcn&#34;, lr=0.05)" in comparison_page(board)


def test_many_models_or_classes_do_not_make_a_wide_table(board: Comparison) -> None:
    rows = tuple(replace(board.rows[0], model=f"m{k}") for k in range(10))
    tall = leaderboard(replace(board, rows=rows))
    assert (tall["classes"]["head"], len(tall["classes"]["rows"])) == (["model", "a", EVIL], 10)
    assert tall["left_out"] == 0
    many = tuple(row_of("gcn", [80, 82], recall=(1.0,) * 20) for _ in range(10))
    cut = leaderboard(replace(board, rows=many, class_names=tuple(map(str, range(20)))))
    assert (len(cut["classes"]["head"]), len(cut["classes"]["rows"])) == (9, 20)
    assert cut["left_out"] == 2
