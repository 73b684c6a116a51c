"""The command: ``python -m examples.service``."""

import logging

import uvicorn

from .app import create_app
from .metrics import JsonFormatter
from .settings import Settings

handler = logging.StreamHandler()
handler.setFormatter(JsonFormatter())
logging.basicConfig(level=logging.INFO, handlers=[handler])
logging.captureWarnings(True)
settings = Settings.from_environment()
uvicorn.run(
    create_app(settings),
    host=settings.host,
    port=settings.port,
    limit_concurrency=settings.connections,
    timeout_graceful_shutdown=settings.end_seconds,
    log_config=None,
    access_log=False,
)
