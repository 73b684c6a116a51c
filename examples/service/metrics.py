"""Metrics for Prometheus, logs as JSON, and the limits that every request meets."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .learner import LOG, Learner
from .settings import Settings

PATHS = ("/predict", "/label", "/model", "/metrics", "/health")
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5)


class ModelCollector:
    """Reads the model when Prometheus asks. An uploaded model brings its own counts of rows and drifts."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def collect(self) -> Iterator[Metric]:
        learner, model = self.learner, self.learner.model
        gauges = {
            "log_position": learner.position,
            "saved_position": learner.saved_position,
            "seconds_since_save": time.monotonic() - learner.saved_at,
            "queue_length": learner.queue.qsize(),
        }
        counters = {"failed_saves": learner.failed_saves}
        if model.n_samples_seen_:
            gauges["progressive_error"] = model.progressive_error_
            gauges["recent_error"] = model.recent_error_  # of about the last 1,000 rows
            gauges["no_change_error"] = model.no_change_error_  # of predicting the label before
            gauges["majority_error"] = model.majority_error_  # of predicting the most frequent label
            gauges["support_vectors"] = model.n_support_vectors_
            gauges["last_drift_row"] = max(model.drift_rows_, default=0)
            gauges["classes"] = len(model.classes_)
            counters["rows_learned"] = model.n_samples_seen_
            counters["mistakes"] = model.n_mistakes_  # rows predicted wrong just before they were learned
            counters["drifts"] = model.n_drifts_
        for name, value in gauges.items():
            yield GaugeMetricFamily(f"service_{name}", name.replace("_", " "), value)
        for name, value in counters.items():
            yield CounterMetricFamily(f"service_{name}", name.replace("_", " "), value)


class Guard:
    """Refuses bodies that are too long before they are read, and counts and times all requests."""

    def __init__(self, app: ASGIApp, settings: Settings, registry: CollectorRegistry) -> None:
        self.app, self.settings = app, settings
        self.count = Counter("service_requests", "requests", ["path", "status"], registry=registry)
        name = "service_request_seconds"
        self.seconds = Histogram(name, "duration", ["path"], registry=registry, buckets=SECONDS)

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
            self.count.labels(path, status).inc()
            self.seconds.labels(path).observe(time.perf_counter() - start)


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
