"""The application."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import sqlite3
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr
from starlette.exceptions import HTTPException

import budgetrs

from .learner import Learner
from .metrics import Guard, Metrics, StateCollector, problem
from .settings import Settings

Text = Annotated[StrictStr, Field(max_length=200)]
Name = Annotated[Text, Field(min_length=1)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Rows(BaseModel, extra="forbid"):
    rows: list[dict[Name, Number | Text | StrictBool | None]] = Field(min_length=1)


class Labelled(BaseModel, extra="forbid"):
    id: Text
    label: StrictBool | StrictInt | Name


def create_app(settings: Settings) -> FastAPI:
    metrics = Metrics()
    learner = Learner(settings, metrics)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        # New classes and categories make the model grow: up to here, then they are errors.
        budgetrs.set_memory_limit(settings.max_model)
        learner.start()
        metrics.registry.register(StateCollector(learner))
        yield
        await asyncio.to_thread(learner.stop)
        await asyncio.to_thread(learner.waiting.stop)

    app = FastAPI(openapi_url=None, lifespan=lifespan)
    app.state.learner = learner
    app.add_middleware(Guard, settings=settings, metrics=metrics)

    @app.post("/predict")
    async def predict(body: Rows) -> Response:
        if len(body.rows) > settings.max_rows:
            raise HTTPException(422, f"at most {settings.max_rows} rows, got {len(body.rows)}")
        if (most := max(map(len, body.rows))) > settings.max_features:
            raise HTTPException(422, f"at most {settings.max_features} features, got {most}")
        probabilities, answers = learner.predict(body.rows)
        ids = await learner.waiting.add(body.rows, answers)
        metrics.rows_predicted.inc(len(ids))
        triples = zip(ids, answers, probabilities, strict=True)
        return JSONResponse(
            {"predictions": [{"id": i, "label": a.label, "probabilities": p} for i, a, p in triples]}
        )

    @app.post("/label")
    async def label(body: Labelled) -> Response:
        position = await asyncio.wrap_future(learner.submit(body.id, body.label))
        return JSONResponse({"position": position})

    @app.post("/model")
    async def swap(request: Request) -> Response:
        given = request.headers.get("authorization", "").encode()
        if not settings.token:
            raise HTTPException(403, "uploads are off: set BUDGETRS_SERVICE_TOKEN")
        if not hmac.compare_digest(given, f"Bearer {settings.token}".encode()):
            raise HTTPException(401, "the header must be: Authorization: Bearer TOKEN")
        position = await asyncio.to_thread(learner.swap, await request.body())
        return JSONResponse({"position": position})

    @app.get("/model")
    async def model() -> Response:
        model = learner.model
        rows_learned = model.n_samples_seen_
        about = {
            "algorithm": model.algorithm,
            "budget": model.params["budget"],
            "features": model.feature_names_in_.tolist() if rows_learned else [],
            "classes": model.classes_.tolist() if rows_learned else [],
            "rows_learned": rows_learned,
        }
        return JSONResponse({**about, "position": learner.position, "saved_position": learner.saved_position})

    @app.get("/livez")
    async def live() -> Response:
        return JSONResponse({"live": True})

    @app.get("/readyz")
    async def ready() -> Response:
        if reason := learner.trouble():
            raise HTTPException(503, reason)
        return JSONResponse({"ready": True})

    @app.get("/metrics")
    async def show_metrics() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        return problem(request.url.path, error.status_code, error.detail, error.headers)

    @app.exception_handler(sqlite3.Error)
    async def not_stored(request: Request, error: sqlite3.Error) -> Response:
        return problem(request.url.path, 503, f"the data folder could not be read or written: {error}")

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        some = error.errors()[:3]  # a value of the wrong type has an error for each type that it can have
        detail = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in some)
        if "json" not in request.headers.get("content-type", ""):
            detail = "the header must be: Content-Type: application/json"
        return problem(request.url.path, 422, detail)

    return app
