"""The command: ``python -m examples.service``."""

import logging
import sys

import uvicorn

from .app import create_app
from .metrics import JsonFormatter
from .settings import Settings

handler = logging.StreamHandler()
handler.setFormatter(JsonFormatter())
logging.basicConfig(level=logging.INFO, handlers=[handler])
logging.captureWarnings(True)
settings = Settings.from_environment()
app = create_app(settings)
config = uvicorn.Config(
    app,
    host=settings.listen_host,
    port=settings.listen_port,
    limit_concurrency=settings.connections,
    timeout_graceful_shutdown=settings.end_seconds,
    log_config=None,
    access_log=False,
)
server = uvicorn.Server(config)
app.state.learner.on_failure = lambda: setattr(server, "should_exit", True)
server.run()
sys.exit(1 if app.state.learner.failed or not server.started else 0)
