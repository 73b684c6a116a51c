"""The settings, which variables of the environment change: SERVICE_PORT=9000 sets `port`."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    data: Path = Path("service-data")  # the folder of the model, the log and the waiting features
    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""  # what POST /model asks for; without it, no model can be uploaded
    budget: int = 100  # support vectors of a new model
    save_seconds: float = 10.0  # save the model after so many seconds,
    save_rows: int = 10_000  # or after so many rows, whichever comes first
    keep_days: float = 30.0  # how long features wait for their label
    queue: int = 1_000  # labels that wait for the writer; more are answered with 503
    max_rows: int = 256  # of one request
    max_features: int = 200  # of one row
    max_body: int = 1_000_000  # bytes of a request
    max_model: int = 64_000_000  # bytes of a model, in memory and as an uploaded file

    @staticmethod
    def from_environment() -> Settings:
        given = {}
        for field in fields(Settings):
            name, kind = f"SERVICE_{field.name.upper()}", type(field.default)
            try:
                given[field.name] = kind(os.environ.get(name, field.default))
            except ValueError:
                raise ValueError(f"{name} must be of type {kind.__name__}") from None
        return Settings(**given)
