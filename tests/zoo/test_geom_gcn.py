import torch
from torch.nn import functional as F

from lsgnn.zoo.geom_gcn import GeomGCNConv
from tests.zoo.exact import dense, exact
from tests.zoo.reading import GRAPH, built


def by_hand(conv: GeomGCNConv, h: torch.Tensor, groups: list[torch.Tensor], norm: torch.Tensor) -> list[torch.Tensor]:
    W = torch.split(conv.linear.weight, conv.out_channels, dim=1)
    return [norm[:, None] * (group @ (norm[:, None] * (h @ W[r]))) for r, group in enumerate(groups)]


def test_it_equals_the_formula_with_one_degree_for_all_groups() -> None:
    module, inputs = exact("geom_gcn", GRAPH, hidden_channels=4)
    groups = [(dense(g) != 0).double() for g in inputs.groups]
    norm = sum(groups).sum(dim=1) ** -0.5
    h = F.relu(torch.cat(by_hand(module.conv1, dense(inputs.x), groups, norm), dim=1))
    expected = sum(by_hand(module.conv2, h, groups, norm)) / 9
    torch.testing.assert_close(module(inputs), expected, atol=1e-6, rtol=0)


def test_the_nine_groups_share_the_edges_out_among_them() -> None:
    _, inputs = built("geom_gcn")
    count = sum((dense(g) != 0).int() for g in inputs.groups)
    assert count.max() == 1
    assert torch.equal((dense(inputs.groups[8]) != 0).int(), torch.eye(40, dtype=torch.int32))


def test_a_neighbourhood_file_replaces_the_embedding(tmp_path) -> None:
    path = tmp_path / "outf_nodes_space_relation_random_isomap.txt"
    path.write_text("node1,node2\tspace\trelation_type\n0,1\tgraph\t2\n5,1\tlatent_space\t0\n")
    _, inputs = built("geom_gcn", neighbourhood_file=str(path))
    filled = {r: (dense(g) != 0).nonzero().tolist() for r, g in enumerate(inputs.groups[:8])}
    assert filled == {r: {2: [[1, 0]], 4: [[1, 5]]}.get(r, []) for r in range(8)}
    norm = dense(inputs.groups[2])[1, 0]
    torch.testing.assert_close(norm, torch.tensor(3.0).rsqrt())  # node 1 reads 0, 5 and itself; node 0 only itself
