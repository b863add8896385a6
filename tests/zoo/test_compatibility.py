import torch

from lsgnn.zoo.compatibility import compatibility, filled, sinkhorn
from tests.graphs import two_blocks
from tests.zoo.reading import built


def test_sinkhorn_makes_rows_and_columns_sum_to_one() -> None:
    H = sinkhorn(torch.tensor([[1.0, 2.0], [3.0, 9.0]], dtype=torch.float64))
    torch.testing.assert_close(H.sum(dim=0), torch.ones(2, dtype=torch.float64))
    torch.testing.assert_close(H.sum(dim=1), torch.ones(2, dtype=torch.float64))


def test_known_labels_tell_whether_classes_attract_or_avoid_each_other() -> None:
    for alike, sign in ((True, 1), (False, -1)):
        graph = two_blocks(alike=alike)
        _, inputs = built("cpgnn", graph)
        unsure, labelled = torch.full((graph.num_nodes, 2), 0.5), torch.arange(graph.num_nodes) < 40
        H = compatibility(inputs.walk, unsure, labelled, torch.from_numpy(graph.y))
        torch.testing.assert_close(H, H.t())
        torch.testing.assert_close(H.sum(dim=0), torch.zeros(2), atol=1e-5, rtol=0)
        assert sign * H[0, 0] > 0.1
        assert sign * H[0, 1] < -0.1


def test_a_class_without_a_label_is_seen_through_the_others() -> None:
    nan = float("nan")
    H = filled(torch.tensor([[0.5, 0.2, 0.3], [nan, nan, nan], [0.1, 0.6, 0.3]]))
    torch.testing.assert_close(H, torch.tensor([[0.5, 0.2, 0.3], [0.2, 0.2, 0.6], [0.1, 0.6, 0.3]]))
    everything = filled(torch.full((2, 2), nan))
    torch.testing.assert_close(everything, torch.full((2, 2), 0.5))
