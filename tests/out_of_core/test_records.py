from pathlib import Path

import pytest

from lsgnn import InputError
from lsgnn.digests import sha256_of
from lsgnn.out_of_core.records import read_sealed, record_of, signature, verify_record, write_record, write_sealed
from tests.out_of_core.damage import put


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.npy").write_bytes(b"abc")
    write_record(tmp_path / "a.npy", "a.npy", "mine", sha256_of(tmp_path / "a.npy"))
    return tmp_path / "a.npy"


def test_a_record_goes_with_bytes_name_and_store(file: Path) -> None:
    verify_record(file, "a.npy", "mine", "mend it")
    with pytest.raises(InputError, match=r"a\.npy is in the wrong place .*another store\): mend it"):
        verify_record(file, "a.npy", "other", "mend it")
    with pytest.raises(InputError, match=r"that of 'a\.npy'\): mend it"):
        verify_record(file, "b.npy", "mine", "mend it")
    put(file, b"abd")
    with pytest.raises(InputError, match=r"its SHA-256 is a52d159f262b…, but ba7816bf8f01… was recorded: mend it"):
        verify_record(file, "a.npy", "mine", "mend it")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"store": "mine", "file": "a.npy", "sha256": 3}', "\xff"])
def test_a_record_that_is_none_is_named(file: Path, text: str) -> None:
    record_of(file).write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.npy\.digest is damaged"):
        verify_record(file, "a.npy", "mine", "mend it")


def test_the_signature_changes_with_the_file_its_record_and_the_store(file: Path) -> None:
    seen = {signature(file, "mine"), signature(file, "mine"), signature(file, "other")}
    put(file, b"abc")
    seen.add(signature(file, "mine"))
    put(record_of(file), record_of(file).read_bytes())
    seen.add(signature(file, "mine"))
    assert len(seen) == 4


def test_a_sealed_document_is_read_as_written_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "document.json"
    write_sealed(file, {"a": 0.1, "b": ("x", None)})
    assert read_sealed(file, "mend it") == {"a": 0.1, "b": ["x", None]}
    file.write_text(file.read_text().replace("0.1", "0.2"))
    with pytest.raises(InputError, match=r"another SHA-256 than was recorded: mend it"):
        read_sealed(file, "mend it")
