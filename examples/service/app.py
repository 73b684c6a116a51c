"""The application."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import sqlite3
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr

import budgetrs

from .learner import LOG, Learner, RefusedError
from .metrics import Guard, ModelCollector
from .settings import Settings
from .storage import Waiting

Text = Annotated[StrictStr, Field(max_length=200)]


class Rows(BaseModel, extra="forbid"):
    rows: list[dict[Text, float | Text | None]] = Field(min_length=1)


class Labelled(BaseModel, extra="forbid"):
    id: Text
    label: StrictBool | StrictInt | Text


def create_app(settings: Settings) -> FastAPI:
    learner, registry = Learner(settings), CollectorRegistry()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # New classes and categories make the model grow: up to here, then they are errors.
        budgetrs.set_memory_limit(settings.max_model)
        learner.start()
        registry.register(ModelCollector(learner))
        ProcessCollector(registry=registry)  # memory and processor time
        app.state.learner, app.state.waiting = learner, Waiting(settings.data)
        yield
        await asyncio.to_thread(learner.stop)
        app.state.waiting.close()

    app = FastAPI(title="budgetrs", lifespan=lifespan)
    app.add_middleware(Guard, settings=settings, registry=registry)

    @app.post("/predict")
    async def predict(body: Rows) -> Response:
        if len(body.rows) > settings.max_rows:
            raise RefusedError(422, f"at most {settings.max_rows} rows, got {len(body.rows)}")
        if (most := max(map(len, body.rows))) > settings.max_features:
            raise RefusedError(422, f"at most {settings.max_features} features, got {most}")
        probabilities = learner.predict(body.rows)
        ids = app.state.waiting.add(body.rows)
        answers = [
            {"id": id_, "label": max(row, key=row.__getitem__, default=None), "probabilities": row}
            for id_, row in zip(ids, probabilities, strict=True)
        ]
        return JSONResponse({"predictions": answers})

    @app.post("/label")
    async def label(body: Labelled) -> Response:
        job = learner.submit(body.id, app.state.waiting.get(body.id), body.label)
        position = await asyncio.wrap_future(job)
        with contextlib.suppress(sqlite3.Error):  # the label is in the log; `clean` deletes the features
            app.state.waiting.remove(body.id)
        return JSONResponse({"position": position})

    @app.post("/model")
    async def swap(request: Request) -> Response:
        given = request.headers.get("authorization", "").encode()
        if not settings.token:
            raise RefusedError(403, "uploads are off: set SERVICE_TOKEN")
        if not hmac.compare_digest(given, f"Bearer {settings.token}".encode()):
            raise RefusedError(401, "the header must be: Authorization: Bearer TOKEN")
        position = await asyncio.to_thread(learner.swap, await request.body())
        return JSONResponse({"position": position})

    @app.get("/model")
    async def model() -> Response:
        model = learner.model
        about = {
            "algorithm": model.algorithm,
            "budget": model.params["budget"],
            "features": [],
            "classes": [],
        }
        if rows_learned := model.n_samples_seen_:
            about |= {"features": model.feature_names_in_.tolist(), "classes": model.classes_.tolist()}
        about["rows_learned"] = rows_learned
        return JSONResponse({**about, "position": learner.position, "saved_position": learner.saved_position})

    @app.get("/health")
    async def health() -> Response:
        alive = learner.thread.is_alive()
        return JSONResponse({"writer": "running" if alive else "ended"}, 200 if alive else 503)

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> Response:
        return problem(request, error.status, str(error))

    @app.exception_handler(sqlite3.Error)
    async def not_stored(request: Request, error: sqlite3.Error) -> Response:
        return problem(request, 503, f"the features were not stored: {error}")

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return problem(request, 422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")

    return app


def problem(request: Request, status: int, detail: str) -> Response:
    detail = detail[:500].encode("ascii", "backslashreplace").decode()  # it may quote any text
    LOG.log(
        logging.ERROR if status >= 500 else logging.INFO,
        "refused",
        extra={"fields": {"path": request.url.path, "status": status, "detail": detail}},
    )
    return JSONResponse({"detail": detail}, status, {"Retry-After": "1"} if status == 503 else None)
