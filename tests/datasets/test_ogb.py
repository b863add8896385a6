"""OGB's raw layout, written small: ten papers, read straight from the zip file."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lsgnn.datasets.ogb import quantile_classes, read_ogb
from lsgnn.errors import InputError

YEARS = [2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018, 2019]


def members() -> dict[str, str]:
    def lines(values: object) -> str:
        return "\n".join(map(str, values)) + "\n"  # type: ignore[call-overload]

    return {
        "raw/num-node-list.csv.gz": "10\n",
        "raw/num-edge-list.csv.gz": "3\n",
        "raw/edge.csv.gz": "1,0\n2,0\n9,8\n",
        "raw/node-feat.csv.gz": lines(f"{i},{-i / 2}" for i in range(10)),
        "raw/node-label.csv.gz": lines(i % 4 for i in range(10)),
        "raw/node_year.csv.gz": lines(YEARS),
        "split/time/train.csv.gz": lines(range(6)),
        "split/time/valid.csv.gz": lines((6, 7)),
        "split/time/test.csv.gz": lines((8, 9)),
    }


def write(path: Path, files: dict[str, str], top: str = "arxiv") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{top}/{name}", gzip.compress(text.encode()))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "arxiv.zip", members())


def test_reads_subjects_and_the_split_by_time(archive: Path) -> None:
    graph = read_ogb(archive, name="ogbn-arxiv", years_as_classes=False)
    assert graph.edge_index.tolist() == [[1, 2, 9], [0, 0, 8]]  # from the citing paper to the cited one
    assert graph.x[3].tolist() == [3.0, -1.5]
    assert graph.y.tolist() == [i % 4 for i in range(10)]
    assert graph.splits is not None
    assert [int(mask.sum()) for mask in (graph.splits.train, graph.splits.val, graph.splits.test)] == [6, 2, 2]


def test_reads_years_as_five_classes(archive: Path) -> None:
    graph = read_ogb(archive, name="arxiv-year", years_as_classes=True)
    assert graph.y.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert graph.splits is not None
    assert graph.splits.train.shape == (5, 10)
    assert graph.splits.train.sum(axis=1).tolist() == [5] * 5  # one of two per class


def test_a_year_on_a_quantile_belongs_above_it() -> None:
    assert quantile_classes(np.array([1, 2, 3, 4, 5, 6])).tolist() == [0, 1, 2, 3, 4, 4]
    assert quantile_classes(np.array([7, 7, 7, 7, 9])).tolist() == [3, 3, 3, 3, 4]


@pytest.mark.parametrize("member", sorted(members()))
def test_missing_member_is_named(member: str, tmp_path: Path) -> None:
    files = {name: text for name, text in members().items() if name != member}
    path = write(tmp_path / "arxiv.zip", files)
    with pytest.raises(InputError, match=f"has no {member}"):
        read_ogb(path, name="toy", years_as_classes="year" in member)


@pytest.mark.parametrize(
    ("member", "text", "said"),
    [
        ("raw/edge.csv.gz", "1,0\n2,0\n", "has 2 rows, but 3 are announced"),
        ("raw/node-feat.csv.gz", "a,b\n" * 10, "holds text where numbers belong"),
        ("raw/node-feat.csv.gz", "1,2\n" * 9 + "3\n", "cannot be read"),
        ("raw/node-label.csv.gz", "", "cannot be read"),
        ("split/time/test.csv.gz", "10\n", r"lists nodes outside 0\.\.9"),
    ],
)
def test_damaged_member_is_named(member: str, text: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "arxiv.zip", members() | {member: text})
    with pytest.raises(InputError, match=f"{member} in .*{said}"):
        read_ogb(path, name="toy", years_as_classes=False)


def test_member_that_is_not_gzip_is_named(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "plain.zip"
    with zipfile.ZipFile(path, "w") as plain:
        for name, text in members().items():
            plain.writestr(f"arxiv/{name}", text)
    with pytest.raises(InputError, match=r"num-node-list\.csv\.gz in .* cannot be read"):
        read_ogb(path, name="toy", years_as_classes=False)


def test_half_a_zip_file_is_one_sentence(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(InputError, match=r"arxiv\.zip is not a whole zip file"):
        read_ogb(archive, name="toy", years_as_classes=False)


@pytest.mark.parametrize("evil", ["../evil.csv", "/etc/evil.csv", "arxiv/../../evil.csv"])
def test_archive_that_points_outside_is_refused(evil: str, archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(archive, "a") as more:
        more.writestr(evil, "x")
    with pytest.raises(InputError, match="points outside the archive"):
        read_ogb(archive, name="toy", years_as_classes=False)
    assert not (tmp_path.parent / "evil.csv").exists()
