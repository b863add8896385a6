import numpy as np
import torch

from lsgnn.nn.rows import make_rows
from lsgnn.runs.row_parts import parts_of
from lsgnn.zoo.protocol import logits_of
from tests.trained import small_run


def test_parts_of_a_graph_give_the_logits_of_the_whole() -> None:
    run = small_run()
    rows, module = make_rows(run.inputs, run.config, dense=True), run.modules[0]
    parts = list(parts_of(rows, 15))
    assert [len(part.index) for part in parts] == [15, 15, 10]
    found = np.concatenate([logits_of(module, part) for part in parts])
    np.testing.assert_allclose(found, logits_of(module, rows), atol=1e-6)


def test_what_is_small_or_has_no_rows_of_its_own_stays_whole() -> None:
    run = small_run()
    rows, narrow = (make_rows(run.inputs, run.config, dense=dense) for dense in (True, False))
    for whole, at_once in ((rows, 40), (narrow, 15), (rows.select(torch.arange(20)), 15), ("anything", 1)):
        assert list(parts_of(whole, at_once)) == [whole]
