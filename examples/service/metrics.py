"""Metrics for Prometheus, logs as JSON, and the limits that every request meets."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import budgetrs

from .settings import Settings

if TYPE_CHECKING:
    from .learner import Learner

LOG = logging.getLogger("service")
PATHS = ("/predict", "/label", "/model", "/metrics", "/livez", "/readyz")
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5)
DELAYS = (1, 10, 60, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400, 30 * 86_400)


class Metrics:
    """The service's own counts since its start; they never fall."""

    def __init__(self) -> None:
        disable_created_metrics()
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory and processor time
        version = {"version": budgetrs.__version__}
        Info("service_build", "Version of budgetrs.", registry=self.registry).info(version)
        self.requests = self._counter("requests", "Requests answered.", "path", "status")
        self.request_seconds = self._histogram(
            "request_duration_seconds", "Time from the head of a request to its answer.", SECONDS, "path"
        )
        self.rows_predicted = self._counter("rows_predicted", "Rows predicted and stored.")
        self.rows_learned = self._counter("rows_learned", "Rows learned and committed to the log.")
        self.mistakes = self._counter(
            "progressive_mistakes", "Learned rows that the model predicted wrong just before it learned them."
        )
        self.served_labels = self._counter("served_labels", "Labels of rows that were answered with a label.")
        self.served_mistakes = self._counter("served_mistakes", "Labels that differ from the answer.")
        self.served_log_loss = self._counter(
            "served_log_loss", "Sum of the log loss (in nats) of the probability that the answer is right."
        )
        self.label_delay = self._histogram(
            "label_delay_seconds", "Time from the prediction of a row to its committed label.", DELAYS
        )
        self.features_expired = self._counter("features_expired", "Rows deleted before a label arrived.")
        self.save_failures = self._counter("save_failures", "Model files that could not be saved.")
        self.commit_failures = self._counter("commit_failures", "Commits to log.db that failed.")
        self.insert_failures = self._counter("insert_failures", "Commits to waiting.db that failed.")

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"service_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"service_{name}", text, labels, buckets=buckets, registry=self.registry)


class StateCollector:
    """Reads the writer and the model when Prometheus asks."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def collect(self) -> Iterator[Metric]:
        for name, (text, value) in self._gauges().items():
            yield GaugeMetricFamily(f"service_{name}", text, value)

    def _gauges(self) -> dict[str, tuple[str, float]]:
        learner, model = self.learner, self.learner.model
        to_clock = time.time() - time.monotonic()
        found = {
            "log_position": ("Position of the last row in the log.", learner.position),
            "saved_position": ("Position of the model file.", learner.saved_position),
            "last_save_timestamp_seconds": ("Time of the last save or start.", learner.saved_at + to_clock),
            "writer_last_step_timestamp_seconds": (
                "Time at which the writer last took labels from its queue, or found none.",
                learner.stepped_at + to_clock,
            ),
            "queued_labels": ("Labels that wait for the writer.", learner.queue.qsize()),
            "disk_free_bytes": (
                "Free space for the data folder.",
                shutil.disk_usage(learner.settings.data).free,
            ),
        }
        if model.n_samples_seen_:
            model_gauges = {
                "rows": ("Rows that the model has learned, also offline.", model.n_samples_seen_),
                "drifts": ("Abrupt drifts that the model has detected.", model.n_drifts_),
                "last_drift_row": (
                    "Rows learned at the last drift, or 0.",
                    max(model.drift_rows_, default=0),
                ),
                "support_vectors": ("Support vectors of the model.", model.n_support_vectors_),
                "classes": ("Classes of the model.", len(model.classes_)),
                "progressive_error_ratio": (
                    "Share of the model's rows predicted wrong just before they were learned.",
                    model.progressive_error_,
                ),
                "recent_error_ratio": ("The same of about the last 1,000 rows.", model.recent_error_),
                "no_change_error_ratio": ("The same of predicting the label before.", model.no_change_error_),
                "majority_error_ratio": (
                    "The same of predicting the most frequent label.",
                    model.majority_error_,
                ),
            }
            found |= {f"model_{name}": gauge for name, gauge in model_gauges.items()}
        return found


class Guard:
    """Refuses bodies that are too long before they are read, and counts and times all requests."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        path = scope["path"] if scope["path"] in PATHS else "other"
        start, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        limit = self.settings.max_model if path == "/model" else self.settings.max_body
        headers = dict(scope["headers"])
        app = self.app
        if b"transfer-encoding" in headers:
            app = problem(path, 411, "the header Content-Length is needed")
        elif int(headers.get(b"content-length", b"0")) > limit:
            app = problem(path, 413, f"the body may have at most {limit} bytes")
        try:
            await app(scope, receive, watched)
        finally:
            self.metrics.requests.labels(path, status).inc()
            self.metrics.request_seconds.labels(path).observe(time.perf_counter() - start)


def problem(path: str, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Log a request that was refused, and return its answer."""
    detail = detail[:500].encode("utf-8", "backslashreplace").decode()  # it may quote any text
    fields = {"path": path[:200], "status": status, "detail": detail}
    LOG.log(logging.ERROR if status >= 500 else logging.INFO, "refused", extra={"fields": fields})
    return JSONResponse(
        {"detail": detail}, status, headers or ({"Retry-After": "1"} if status == 503 else None)
    )


class JsonFormatter(logging.Formatter):
    """One line of JSON per record; `extra={"fields": {...}}` adds fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {"time": record.created, "level": record.levelname, "logger": record.name}
        line |= {"message": record.getMessage(), **getattr(record, "fields", {})}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)
