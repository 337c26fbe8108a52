"""S3: its locations, ``s3://bucket/key``, and its files.

The names and secrets are those of AWS's own tools: ``AWS_ACCESS_KEY_ID``, ``AWS_PROFILE``, a role of the
machine. They are in no setting of Spark.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

S3 = "s3://"

# S3 takes names of three characters and more.
S3_FOLDER = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w.=-]+)*", re.ASCII)

# How an error of S3 ends.
HOW_TO_REACH_S3 = (
    "is the server there (AWS_ENDPOINT_URL_S3, AWS_REGION), and may this user use the bucket "
    "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_PROFILE)?"
)

# With pauses that double, a server that restarts is waited for: about a minute.
_ATTEMPTS = 10


def is_in_s3(location: str) -> bool:
    """Whether a location is in S3.

    >>> is_in_s3("s3://bucket/key"), is_in_s3("/s3")
    (True, False)
    """
    return location.startswith(S3)


def s3_endpoint() -> str:
    """The address of an S3 server that is not Amazon's; empty for Amazon's."""
    names = "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"
    return next((value for name in names if (value := os.environ.get(name, "").strip())), "")


def s3_region() -> str:
    """The region of the bucket."""
    names = "AWS_REGION", "AWS_DEFAULT_REGION"
    return next((value for name in names if (value := os.environ.get(name))), "us-east-1")


def s3_files() -> S3FileSystem:
    """The files of S3, by ``bucket/key``, as the environment of AWS names the server and the secrets."""
    return _s3_files(s3_endpoint(), s3_region())


@cache
def _s3_files(endpoint: str, region: str) -> S3FileSystem:
    from pyarrow.fs import S3FileSystem

    return S3FileSystem(
        endpoint_override=endpoint or None, region=region, retry_strategy=retry_strategy()
    )


def retry_strategy() -> AwsStandardS3RetryStrategy:
    """How often S3 is asked. pyiceberg calls this, too, by its name."""
    from pyarrow.fs import AwsStandardS3RetryStrategy

    return AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS)
