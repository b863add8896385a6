"""`Service`: a run that stays loaded, its journal, and what it answers; used by one thread at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.errors import InputError
from lsgnn.graph.shown import short
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.run import Run
from lsgnn.serving.feature_reader import feature_reader
from lsgnn.serving.incoming import Incoming, joined, read_incoming
from lsgnn.serving.journal import Entry, Journal
from lsgnn.serving.new_node import NewNode, digest_of
from lsgnn.serving.node_index import NodeIndex
from lsgnn.serving.questions import Answer, Conflict, KnownRequest, NewRequest, Request
from lsgnn.serving.scorers import Logits, Scorer, scorer_of

REPLAYED_AT_ONCE = 2_000  # nodes
log = logging.getLogger("lsgnn.serving")


class Service:
    """Answers questions about known and new nodes of a run."""

    def __init__(self, run: Run, journal: Path) -> None:
        self.run = run
        self.features = feature_reader(run.graph)
        self.index = NodeIndex(run.graph)
        self.journal = Journal(journal)
        self._digests: list[str] = []  # of the nodes that were kept
        self._scorer: Scorer | None = None
        self._refusal = ""  # why there is none
        try:
            run.require_attachable()
            self._scorer = scorer_of(run)
        except InputError as error:
            self._refusal = str(error)
        _ = run.logits, run.temperature
        self._catch_up()

    @property
    def num_kept(self) -> int:
        return len(self._digests)

    def answer(self, requests: Sequence[Request]) -> list[Answer | Exception]:
        """One answer to each request; new nodes that are not to be kept are scored together."""
        try:
            self._catch_up()
        except InputError:
            log.exception("the journal could not be read: nodes that others keep are not known here")
        answers: list[Answer | Exception] = [RuntimeError("not answered")] * len(requests)
        waiting: list[tuple[int, Incoming]] = []
        # what is kept comes first, because the numbers of new nodes begin behind it
        for place in sorted(range(len(requests)), key=lambda place: not requests[place].persist):
            request = requests[place]
            try:
                if isinstance(request, KnownRequest):
                    answers[place] = self._known(request)
                elif request.persist:
                    answers[place] = self._keep(request)
                else:
                    waiting.append((place, self._incoming(request.nodes)))
            except Exception as error:
                answers[place] = error
        scored = self._score([incoming for _, incoming in waiting])
        for (place, incoming), found in zip(waiting, scored, strict=True):
            said = found if isinstance(found, Exception) else self._said(requests[place], found, incoming)
            answers[place] = said
        return answers

    def _known(self, request: KnownRequest) -> Answer:
        numbers = np.array([self.index.find(id) for id in request.ids], np.int64)
        logits = self.run.logits[numbers] if self._scorer is None else self._scorer.logits(numbers)
        return Answer(self._predictions(logits, [self.index.ids[i] for i in numbers.tolist()], request.threshold))

    def _score(self, parts: list[Incoming]) -> list[Logits | Exception]:
        """Logits of each part; where one of them spoils the work of all, each is scored alone."""
        if not parts:
            return []
        try:
            logits = self.scorer.score(joined(parts, len(self.index))).logits
        except Exception as error:
            return [error] if len(parts) == 1 else [found for part in parts for found in self._score([part])]
        ends = np.cumsum([len(part) for part in parts])
        return list(np.split(logits, ends[:-1]))

    def _said(self, request: Request, logits: Logits, incoming: Incoming) -> Answer | Exception:
        try:
            ids = [node.id for node in incoming.nodes]
            return Answer(self._predictions(logits, ids, request.threshold), tuple(incoming.notes))
        except Exception as error:
            return error

    def _keep(self, request: NewRequest) -> Answer:
        """Attaches what is not there yet, writes it down, and only then knows it."""
        scorer = self.scorer
        notes: tuple[str, ...] = ()
        with self.journal.writing():
            self._catch_up()
            fresh = [node for node in request.nodes if not self._is_kept(node)]
            if fresh:
                incoming = self._incoming(fresh)
                scored = scorer.score(incoming.attached)
                self._predictions(scored.logits, [node.id for node in fresh], request.threshold)  # raises if odd
                self.journal.add(fresh)
                notes = tuple(incoming.notes)
        if fresh:
            self.journal.added()
            scorer.keep(scored)
            self._know(fresh, (digest_of(node.to_json()) for node in fresh))
        numbers = np.array([self.index.find(node.id) for node in request.nodes], np.int64)
        said = self._predictions(scorer.logits(numbers), [node.id for node in request.nodes], request.threshold)
        return Answer(said, notes, len(fresh))

    def _is_kept(self, node: NewNode) -> bool:
        """True for a node that is sent again; one that was described differently is a conflict."""
        number, known = self.index.get(node.id), self.run.graph.num_nodes
        if number is None or number < known:
            return False
        if self._digests[number - known] != digest_of(node.to_json()):
            raise Conflict(f"node {short(node.id)} is kept already, with other content: give the new node another id")
        return True

    def _incoming(self, nodes: Sequence[NewNode]) -> Incoming:
        if self._scorer is None:
            raise InputError(self._refusal)
        return read_incoming(nodes, self.index, self.features, self.run.graph)

    @property
    def scorer(self) -> Scorer:
        if self._scorer is None:
            raise InputError(self._refusal)
        return self._scorer

    def _predictions(self, logits: Logits, ids: list[Any], threshold: float | None) -> Predictions:
        if not np.isfinite(logits).all():
            raise InputError("the features of a node are too large for the model's numbers: divide them by a constant")
        return self.run.predictions_of(logits, np.array(ids, dtype=object), threshold=threshold)

    def _know(self, nodes: Sequence[NewNode], digests: Iterable[str]) -> None:
        self.index.append(node.id for node in nodes)
        self._digests += digests

    def _catch_up(self) -> None:
        """Attaches the journal's news as they were attached when they came."""
        try:
            self._read(self.journal.news())
        except BaseException:
            self.journal.look_again()
            raise

    def _read(self, entries: list[Entry]) -> None:
        """Batches in which none reads another are computed together.

        Nodes that the run has learned from meanwhile (`lsgnn fit --continue`) are those of its graph.
        """
        pending: list[list[Entry]] = []
        named: set[str] = set()
        for _, group in groupby(entries, key=lambda entry: entry.batch):
            batch = [entry for entry in group if not self._is_learned(entry.node)]
            ends = {str(end) for entry in batch for edge in entry.node.edges for end in (edge.source, edge.target)}
            if len(named) >= REPLAYED_AT_ONCE or ends & named:
                self._attach(pending)
                pending, named = [], set()
            pending += [batch] if batch else []
            named |= {str(entry.node.id) for entry in batch}
        self._attach(pending)
        if entries:
            self.journal.seen(entries[-1].seq)

    def _is_learned(self, node: NewNode) -> bool:
        number = self.index.get(node.id)
        return number is not None and number < self.run.graph.num_nodes

    def _attach(self, batches: list[list[Entry]]) -> None:
        if not batches:
            return
        parts = [self._incoming([entry.node for entry in batch]) for batch in batches]
        self.scorer.keep(self.scorer.score(joined(parts, len(self.index))))
        for batch in batches:
            self._know([entry.node for entry in batch], (entry.digest for entry in batch))
        self.journal.seen(batches[-1][-1].seq)
