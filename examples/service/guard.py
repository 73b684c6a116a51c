"""The limits that every request meets, and what is counted and logged of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics
from .settings import Settings
from .worker import LOG

PROBES = {"/livez", "/readyz", "/metrics"}  # answered however many requests there are
MAIN = {"/predict", "/labels"}  # counted by path also if they are refused here


class Guard:
    """Refuses requests beyond the limits before their bodies are read, and counts and times all."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        start, status, path = time.perf_counter(), 500, scope["path"]

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        limit = self.settings.max_model if path.startswith("/models/") else self.settings.max_body
        headers = dict(scope["headers"])
        app = self.app
        if self.metrics.open_requests >= self.settings.max_requests and path not in PROBES:
            app = problem(path, 503, f"{self.metrics.open_requests} requests are open already")
        elif b"transfer-encoding" in headers:
            app = problem(path, 411, "the header Content-Length is needed")
        elif int(headers.get(b"content-length", b"0")) > limit:
            app = problem(path, 413, f"the body may have at most {limit} bytes")
        self.metrics.open_requests += 1
        try:
            await app(scope, receive, watched)
        finally:
            self.metrics.open_requests -= 1
            path = getattr(scope.get("route"), "path", path if path in MAIN else "other")
            self.metrics.count("requests", path, status)
            self.metrics.observe("request_duration_seconds", time.perf_counter() - start, path)


def problem(path: str, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Log a request that was refused, and return its answer."""
    detail = detail[:500].encode("utf-8", "backslashreplace").decode()  # it may quote any text
    log_refused(path, status, detail)
    headers = headers or ({"Retry-After": "1"} if status == 503 else None)
    return JSONResponse({"detail": detail}, status, headers)


def log_refused(path: str, status: int, detail: str, **more: Any) -> None:
    fields = {"path": path[:200], "status": status, "detail": detail[:500], **more}
    LOG.log(logging.ERROR if status >= 500 else logging.INFO, "refused", extra=fields)
