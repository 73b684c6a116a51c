"""The command: ``python -m examples.service``."""

import contextlib
import logging
import sys

import uvicorn
from pythonjsonlogger.json import JsonFormatter

from .app import create_app
from .settings import Settings

handler = logging.StreamHandler()
handler.setFormatter(
    JsonFormatter(
        ["created", "levelname", "name", "message"], rename_fields={"created": "time", "levelname": "level"}
    )
)
logging.basicConfig(level=logging.INFO, handlers=[handler])
logging.captureWarnings(True)
settings = Settings.from_environment()
app = create_app(settings)
config = uvicorn.Config(
    app,
    host=settings.listen_host,
    port=settings.listen_port,
    timeout_keep_alive=settings.keep_alive_seconds,
    timeout_graceful_shutdown=settings.end_seconds,
    log_config=None,
    access_log=False,
)
server = uvicorn.Server(config)
app.state.worker.on_failure = lambda: setattr(server, "should_exit", True)
with contextlib.suppress(KeyboardInterrupt):
    server.run()
sys.exit(1 if not server.started or app.state.worker.has_failed() else 0)
