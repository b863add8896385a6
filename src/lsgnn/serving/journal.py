"""The journal: new nodes that are kept, in an SQLite file beside the run.

A node is in it when the write that brought it is acknowledged, once, whatever happens to the processes that read and
write it (write-ahead log, synced at every commit). Several servers of one run may share it. Nodes that came in one
request are one batch, and are read back in the order in which they came.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lsgnn.errors import InputError
from lsgnn.serving.new_node import NewNode, digest_of

NAME = "journal.sqlite"  # in the folder of the run
FORMAT = 1
SECONDS_TO_WAIT = 20.0  # for another process that writes
SCHEMA = """
CREATE TABLE IF NOT EXISTS nodes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    batch INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    digest TEXT NOT NULL
)
"""


class JournalError(Exception):
    """The journal could not be written; nothing of the request was kept. The message is for the client."""


@dataclass(frozen=True)
class Entry:
    """A node of the journal."""

    seq: int
    batch: int
    node: NewNode
    digest: str


class Journal:
    """One process's view of a journal; the file is made when the first node is kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._seen = 0
        self._added = 0

    def news(self) -> list[Entry]:
        """What has not been `seen`, whoever wrote it; `InputError` if it cannot be read.

        Where nobody else has written since the last call, this costs next to nothing.
        """
        try:
            if self._connection is None and not self.path.exists():
                return []
            connection = self._open()
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version == self._version and not connection.in_transaction:
                return []
            rows = connection.execute(
                "SELECT seq, batch, id, content, digest FROM nodes WHERE seq > ? ORDER BY seq", (self._seen,)
            ).fetchall()
        except sqlite3.Error as error:
            self.look_again()
            raise InputError(
                f"the journal {self.path.name} cannot be read ({_said(error)}): restore it, or move it away to begin a "
                "new one"
            ) from error
        entries = [self._entry(*row) for row in rows]
        self._version = version
        return entries

    def seen(self, seq: int) -> None:
        """`news` need not tell of this entry and those before it."""
        self._seen = seq

    def look_again(self) -> None:
        """The next `news` reads the file, whether somebody has written or not."""
        self._version = -1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: while it lasts no other process writes, and what is added is kept when it ends well."""
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise _not_kept(error) from error
        try:
            yield
            connection.execute("COMMIT")
        except BaseException as error:
            self.look_again()  # whatever came of it
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                self.close()
                raise _not_kept(error) from error
            raise

    def add(self, nodes: Sequence[NewNode]) -> None:
        """One batch, in a transaction that has been begun and in which all news were read."""
        assert self._connection is not None
        batch = self._seen + 1
        for node in nodes:
            text = node.to_json()
            cursor = self._connection.execute(
                "INSERT INTO nodes (batch, id, content, digest) VALUES (?, ?, ?, ?)",
                (batch, str(node.id), text, digest_of(text)),
            )
            self._added = cursor.lastrowid or 0

    def added(self) -> None:
        """The batch is written, and needs no telling."""
        self.seen(self._added)

    def close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
            self.look_again()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            # used by one thread at a time: first by the one that starts the server, then by the one that answers
            connection = sqlite3.connect(
                self.path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                _prepare_with_patience(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _entry(self, seq: int, batch: int, id: str, content: str, digest: str) -> Entry:
        try:
            if digest_of(content) != digest:
                raise ValueError("its SHA-256 is another")
            node = NewNode.from_json(content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"node {id!r} of the journal {self.path.name} is damaged ({_said(error)}): restore it"
            ) from error
        return Entry(seq, batch, node, digest)


def _prepare_with_patience(connection: sqlite3.Connection) -> None:
    """Where two processes make the file at the same time, SQLite turns one of them away without waiting."""
    for seconds in (0.05, 0.2, 0.5):
        try:
            return _prepare(connection)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(seconds)
    _prepare(connection)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(SCHEMA)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _not_kept(error: sqlite3.Error) -> JournalError:
    reason = "the disk is full" if "full" in str(error) else _said(error)
    return JournalError(f"the journal cannot be written ({reason}): nothing of this request was kept; send it again")


def _said(error: Exception) -> str:
    """In one line: SQLite quotes what it cannot read, line breaks and all."""
    return " ".join(str(error).split())
