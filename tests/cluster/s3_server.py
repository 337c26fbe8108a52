"""moto's S3 server, which keeps its files when it ends. The environment of moto runs it.

    python s3_server.py PORT BUCKET FILE

SIGTERM ends it at once: requests that are not done get no answer. FILE then holds what was done, and the next
server reads it. The first one makes the bucket.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from moto.server import MotoRequestHandler
from werkzeug.serving import make_server

port, bucket, file = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
backend = s3_backends["123456789012"]["aws"]
state = backend.__dict__, s3_backends.bucket_accounts
application = DomainDispatcherApplication(create_backend_app)

# One request at a time: then what was answered is in the file.
working = Lock()


def answer(environment: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    with working:
        return list(application(environment, start_response))


def end(*_: object) -> None:
    working.acquire()
    file.write_bytes(pickle.dumps([dict(part) for part in state]))
    os._exit(0)


server = make_server("127.0.0.1", port, answer, threaded=True, request_handler=MotoRequestHandler)
if file.exists():
    for part, values in zip(state, pickle.loads(file.read_bytes()), strict=True):
        part.update(values)
else:
    backend.create_bucket(bucket, "us-east-1")
signal.signal(signal.SIGTERM, end)
print("Running on", port, flush=True)
server.serve_forever()
