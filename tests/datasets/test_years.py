from pathlib import Path

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.datasets.fsbm import fsbm
from lsgnn.datasets.years import load_by_year


def with_years(path: Path, year: np.ndarray) -> Path:
    graph = fsbm(0.9, 0.1)
    graph.save(path)
    with np.load(path) as arrays:
        content = dict(arrays)
    np.savez(path, **content, year=year)
    return path


def test_years_become_fifths_and_unknown_years_no_class(tmp_path: Path) -> None:
    year = np.repeat([-1, 2001, 2002, 2003, 2004, 2005], [100, 180, 180, 180, 180, 180])
    graph = load_by_year(with_years(tmp_path / "toy.npz", year))
    assert graph.class_names == ("2001 to 2001", "2002 to 2002", "2003 to 2003", "2004 to 2004", "2005 to 2005")
    np.testing.assert_array_equal(graph.y, np.where(year < 0, -1, year - 2001))
    assert graph.splits is not None
    assert len(graph.splits) == 5
    assert not (graph.splits.covered & (graph.y < 0)).any()


def test_a_fifth_without_a_year_is_no_class(tmp_path: Path) -> None:
    graph = load_by_year(with_years(tmp_path / "toy.npz", np.repeat([2001, 2002], [500, 500])))
    assert graph.class_names == ("2001 to 2001", "2002 to 2002")
    np.testing.assert_array_equal(graph.y, np.repeat([0, 1], [500, 500]))


def test_a_file_without_years_is_refused(tmp_path: Path) -> None:
    fsbm(0.9, 0.1).save(tmp_path / "toy.npz")
    with pytest.raises(InputError, match="no key 'year'"):
        load_by_year(tmp_path / "toy.npz")
    with pytest.raises(InputError, match="has shape"):
        load_by_year(with_years(tmp_path / "toy.npz", np.array([2001, 2002])))
