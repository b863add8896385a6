import hashlib

from lsgnn.digests import CHUNK, sha256_of


def test_the_digest_is_that_of_all_bytes_and_progress_adds_up(tmp_path):
    content = b"lsgnn" * (CHUNK // 4)
    (tmp_path / "file").write_bytes(content)
    read = []
    assert sha256_of(tmp_path / "file", read.append) == hashlib.sha256(content).hexdigest()
    assert sum(read) == len(content)
    assert len(read) == 2
