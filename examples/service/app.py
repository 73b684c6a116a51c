"""The requests."""

import asyncio
import contextlib
import functools
import hmac
import secrets
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import Depends, FastAPI, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

import budgetrs

from .guard import Guard, log_refused, problem
from .learner import Item, Learner
from .metrics import Metrics
from .models import INVALID, Scorer
from .schemas import Labels, Position, Predictions, Results, Rows
from .settings import Settings
from .storage import Features, Row

ModelName = Annotated[str, Path(pattern="^[a-z0-9][a-z0-9_-]{0,49}$")]


def create_app(settings: Settings) -> FastAPI:
    metrics = Metrics()
    worker = (Scorer if settings.scorer else Learner)(settings, metrics)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        # New classes and categories make the models grow: up to here, then they are errors.
        budgetrs.set_memory_limit(settings.max_model)
        worker.start()
        yield
        await asyncio.to_thread(worker.stop)

    app = FastAPI(title="Example service", lifespan=lifespan)
    app.state.worker = worker
    app.add_middleware(Guard, settings=settings, metrics=metrics)

    def learner() -> Learner:
        if not isinstance(worker, Learner):
            raise HTTPException(403, "this process only predicts: ask the learner")
        return worker

    def authorized(request: Request) -> Learner:
        given = request.headers.get("authorization", "").encode()
        if not settings.token:
            raise HTTPException(403, "changes of models are off: set BUDGETRS_SERVICE_TOKEN")
        if not hmac.compare_digest(given, f"Bearer {settings.token}".encode()):
            raise HTTPException(401, "the header must be: Authorization: Bearer TOKEN")
        return learner()

    def check(name: str, length: int, rows: list[Features]) -> None:
        if length > settings.max_rows:
            raise HTTPException(422, f"at most {settings.max_rows} {name}, got {length}")
        if (most := max(map(len, rows))) > settings.max_features:
            raise HTTPException(422, f"at most {settings.max_features} features, got {most}")

    @app.post("/predict", response_model=Predictions)
    async def predict(body: Rows) -> Response:
        check("rows", len(body.rows), body.rows)
        ids = body.ids or [new_id() for _ in body.rows]
        if len(ids) != len(body.rows) or len(set(ids)) != len(ids):
            raise HTTPException(422, f"as many different ids as rows are needed, {len(body.rows)}")
        champion = worker.models.champion
        best, answers = worker.models.predict(body.rows)
        now = time.time()
        rows = [Row(now, *one) for one in zip(body.rows, answers, strict=True)]
        await worker.waiting.add(dict(zip(ids, rows, strict=True)))
        worker.models.count(body.rows, best)
        predictions = [
            {"id": id_, "label": next(iter(one), None), "probabilities": one}
            for id_, one in zip(ids, best, strict=True)
        ]
        rows_learned = max((one.rows_learned for one in answers[0] if one.is_champion), default=0)
        return JSONResponse({"model": champion, "rows_learned": rows_learned, "predictions": predictions})

    @app.post("/labels", response_model=Results)
    async def labels(body: Labels, learner: Annotated[Learner, Depends(learner)]) -> Response:
        check("labels", len(body.labels), [one.features for one in body.labels])
        items = [Item(one.id or new_id(), one.label, one.features, one.corrects) for one in body.labels]
        results = await learner.learn(items)
        if refused := [one for one in results if "status" in one]:
            log_refused("/labels", refused[0]["status"], refused[0]["detail"], count=len(refused))
            for one in refused:
                metrics.count("labels_refused", one["status"])
        return JSONResponse({"results": results})

    @app.get("/models")
    async def models() -> Response:
        models = worker.models
        found = [
            {
                "name": name,
                "algorithm": model.algorithm,
                "budget": model.params["budget"],
                "features": model.feature_names_in_.tolist() if model.n_samples_seen_ else [],
                "classes": model.classes_.tolist() if model.n_samples_seen_ else [],
                "rows_learned": model.n_samples_seen_,
                "saved_position": models.positions()[name],
            }
            for name, model in models.by_name.items()
        ]
        return JSONResponse({"champion": models.champion, "models": found})

    async def change(learner: Learner, change: Callable[..., None], *arguments: object) -> Response:
        return JSONResponse({"position": await learner.do(functools.partial(change, *arguments))})

    body = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    Authorized = Annotated[Learner, Depends(authorized)]

    @app.put("/models/{name}", response_model=Position, openapi_extra={"requestBody": body})
    async def put(name: ModelName, request: Request, learner: Authorized) -> Response:
        try:
            model = await asyncio.to_thread(budgetrs.Classifier.from_bytes, await request.body())
        except INVALID as error:
            raise HTTPException(422, str(error)) from None
        return await change(learner, learner.put, name, model)

    @app.delete("/models/{name}", response_model=Position)
    async def remove(name: ModelName, learner: Authorized) -> Response:
        return await change(learner, learner.remove, name)

    @app.post("/models/{name}/promote", response_model=Position)
    async def promote(name: ModelName, learner: Authorized) -> Response:
        return await change(learner, learner.promote, name)

    @app.get("/livez")
    async def live() -> Response:
        return JSONResponse({"live": True})

    @app.get("/readyz")
    async def ready() -> Response:
        if reason := worker.trouble():
            raise HTTPException(503, reason)
        return JSONResponse({"ready": True})

    @app.get("/metrics")
    async def show_metrics() -> Response:
        waiting_rows = await asyncio.to_thread(worker.waiting.count)
        text = metrics.show(gauges(worker, waiting_rows), worker.models.by_role())
        return Response(text, media_type=CONTENT_TYPE_LATEST)

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
        if some[0]["loc"][0] == "body" and "json" not in request.headers.get("content-type", ""):
            detail = "the header must be: Content-Type: application/json"
        return problem(request.url.path, 422, detail)

    return app


def new_id() -> str:
    """Return the time, so that ids of the same time are adjacent in the file, and 64 random bits."""
    return f"{time.time_ns():016x}{secrets.token_hex(8)}"


def gauges(worker: Scorer, waiting_rows: int) -> dict[str, tuple[str, float]]:
    to_clock, disk = time.time() - time.monotonic(), shutil.disk_usage(worker.settings.data)
    last_step = min(worker.stepped_at, worker.waiting.stepped_at) + to_clock
    found = {
        "waiting_rows": ("Rows that wait for their label.", waiting_rows),
        "open_requests": ("Requests that are being answered.", worker.metrics.open_requests),
        "disk_free_bytes": ("Free space for the data folder.", disk.free),
        "last_step_timestamp_seconds": ("When the slower thread last did its jobs, or had none.", last_step),
    }
    if isinstance(worker, Learner):
        found |= {
            "log_position": ("Position of the last row in the log.", worker.position),
            "saved_position": ("The next start learns the rows after it.", worker.saved_position),
            "last_save_timestamp_seconds": ("When the models were last saved.", worker.saved_at + to_clock),
            "queued_labels": ("Labels that wait for the writer.", worker.queued_labels),
        }
    return found
