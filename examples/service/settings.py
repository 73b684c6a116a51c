"""The settings, which variables of the environment change: BUDGETRS_SERVICE_BUDGET=200 sets `budget`."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path

from pydantic import BaseModel, Field, PositiveFloat, PositiveInt, ValidationError

PREFIX = "BUDGETRS_SERVICE_"


class Settings(BaseModel, frozen=True, extra="forbid"):
    data: Path = Path("service-data")  # the folder of the model, the log and the waiting features
    listen_host: str = "127.0.0.1"
    listen_port: int = Field(default=8000, ge=0, le=65_535)
    scorer: bool = False  # only predict, with the models that a learner saves in the same folder
    max_requests: PositiveInt = 200  # open at once; more are answered with 503
    keep_alive_seconds: PositiveInt = 75  # longer than the proxy keeps a connection without requests
    end_seconds: PositiveInt = 10  # how long requests may take to end after SIGTERM
    token: str = Field(
        default="", pattern="^[!-~]*$"
    )  # what changes of models ask for; empty: none are allowed
    budget: int = Field(default=100, ge=1, le=2**24)  # support vectors of a new model
    models: PositiveInt = 5  # the champion and its challengers
    save_seconds: PositiveFloat = 10.0  # save the model at least this often
    save_rows: PositiveInt = 10_000  # and after this many new rows
    keep_days: float = Field(default=30.0, gt=0, le=36_500)  # how long features wait for their label
    queue: PositiveInt = 1_000  # labels that wait for the writer; more are answered with 503
    max_rows: PositiveInt = 256  # of one request, or labels
    max_features: PositiveInt = 200  # of one row
    max_classes: int = Field(default=100, ge=2)  # of the model: labels of further classes are refused
    max_body: PositiveInt = 1_000_000  # bytes of a request
    max_model: PositiveInt = 64_000_000  # bytes of a model, in memory and as an uploaded file

    @staticmethod
    def from_environment() -> Settings:
        given = {
            name[len(PREFIX) :].lower(): os.environ[name] for name in os.environ if name.startswith(PREFIX)
        }
        for name in given.keys() - Settings.model_fields:
            if re.search("(^|_)(host|port)(_|$)", name):  # Kubernetes sets them for its Services
                logging.warning("%s%s is not a setting and is ignored", PREFIX, name.upper())
                del given[name]
        try:
            return Settings.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]).upper()
            raise SystemExit(f"{PREFIX}{name}: {first['msg']}; see examples/service/settings.py") from None
