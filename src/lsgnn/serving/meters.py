"""What `/metrics` tells: counters of one server, or of all worker processes of it, in Prometheus' format.

Workers share their counters through files in `$PROMETHEUS_MULTIPROC_DIR`, which `lsgnn serve --workers` sets.
"""

from __future__ import annotations

import os
from typing import Any

from lsgnn.extras import optional

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class Meters:
    def __init__(self) -> None:
        prometheus: Any = optional("prometheus_client", "serve")
        self._shared = bool(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
        self._registry = prometheus.CollectorRegistry()
        own: dict[str, Any] = {"registry": self._registry}
        self.requests = prometheus.Counter("lsgnn_requests", "Requests that were answered.", ["path", "status"], **own)
        self.seconds = prometheus.Histogram(
            "lsgnn_request_seconds", "From the head of a request to its answer.", ["path"], buckets=SECONDS, **own
        )
        self.scored = prometheus.Counter("lsgnn_new_nodes_scored", "New nodes that were scored.", **own)
        self.kept = prometheus.Counter("lsgnn_new_nodes_kept", "New nodes that were kept here.", **own)
        self.failed = prometheus.Counter("lsgnn_journal_failures", "Requests that the journal could not keep.", **own)

    def exposition(self) -> bytes:
        """The text that Prometheus reads."""
        prometheus: Any = optional("prometheus_client", "serve")
        registry = self._registry
        if self._shared:
            from prometheus_client.multiprocess import MultiProcessCollector

            registry = prometheus.CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        text: bytes = prometheus.generate_latest(registry)
        return text
