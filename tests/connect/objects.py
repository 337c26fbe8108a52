"""Write and delete objects of the S3 server for tests.

It takes every signature. Of small binary objects that Arrow writes, it keeps the framing.
"""

from __future__ import annotations

import os
from urllib.parse import quote
from urllib.request import Request, urlopen

from servers import BUCKET, S3_SECRETS

_KEY = S3_SECRETS["AWS_ACCESS_KEY_ID"]
_HEADERS = {
    "Authorization": f"AWS4-HMAC-SHA256 Credential={_KEY}/20260101/us-east-1/s3/aws4_request",
    "Content-Type": "application/octet-stream",
    "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
}


def put(name: str, content: bytes) -> None:
    _ask(name, "PUT", content)


def delete(name: str) -> None:
    _ask(name, "DELETE", None)


def _ask(name: str, method: str, content: bytes | None) -> None:
    place = f"{os.environ['AWS_ENDPOINT_URL_S3']}/{BUCKET}/{quote(name)}"
    with urlopen(Request(place, content, _HEADERS, method=method)):
        pass
