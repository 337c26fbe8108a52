"""The session of a Spark Connect server. This process needs no Java.

PySpark's modules for it are imported where they are used: they need packages that other targets do not.
"""

from __future__ import annotations

import atexit
import os
import warnings
from typing import TYPE_CHECKING, Any, cast

from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence

if TYPE_CHECKING:
    from pyspark.sql.connect.client import DefaultChannelBuilder

TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"

ANSWER_SECONDS = 15

# A server that is gone is waited for a minute. PySpark waits for ten.
RETRIES = 6


def is_remote(parameters: dict[str, str]) -> bool:
    """Whether the session is a Spark Connect client."""
    return "spark.remote" in parameters or "SPARK_REMOTE" in os.environ


def connect(parameters: dict[str, str]) -> SparkSession:
    """A session of the server, with the settings of Spark SQL. The server has its own for the rest.

    The files of `spark.submit.pyFiles` are sent to the Python workers of this session.

    Raises:
        DbtRuntimeError: no server answers, it refuses this client, or packages are missing here.
    """
    address = parameters.get("spark.remote") or os.environ["SPARK_REMOTE"]
    server = _server(address)
    _require_answer(server)
    settings = {key: value for key, value in parameters.items() if key.startswith("spark.sql.")}
    builder = SparkSession.builder.config(map={**settings, "spark.remote": address})
    try:
        with warnings.catch_warnings():
            # PySpark warns of settings that no session can change.
            warnings.simplefilter("ignore")
            session: Any = builder.getOrCreate()
        if files := parameters.get("spark.submit.pyFiles"):
            session.addArtifacts(*files.split(","), pyfile=True)
    except SPARK_ERRORS as error:
        raise DbtRuntimeError(_refusal(server, error)) from error
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session.client.set_retry_policies([DefaultPolicy(max_retries=RETRIES)])
    # From here on, PySpark's own builder finds this session in the whole process.
    os.environ["SPARK_REMOTE"] = address
    atexit.register(session.stop)
    return cast(SparkSession, session)


def _server(address: str) -> DefaultChannelBuilder:
    """The parts of an address. It may hold a token or a password, so no error shows it."""
    try:
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError as error:
        raise DbtRuntimeError(
            f"Spark Connect needs more packages: pip install 'pyspark[connect]'. {error}"
        ) from error
    try:
        return DefaultChannelBuilder(address)
    except (*SPARK_ERRORS, ValueError):
        raise DbtRuntimeError(
            "The address of the Spark Connect server (spark.remote) cannot be used: it must be sc://host:port."
        ) from None


def _require_answer(server: DefaultChannelBuilder) -> None:
    import grpc

    channel = server.toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=ANSWER_SECONDS)
    except grpc.FutureTimeoutError:
        sentence = f"No Spark Connect server answers at {server.endpoint}: start it, or correct the address."
        if server.secure and server.host != "localhost":
            sentence += (
                " The client sends its token only through TLS, or to `localhost`: give the server TLS, "
                "or name it sc://localhost:port (a tunnel of SSH, for example)."
            )
        raise DbtRuntimeError(sentence) from None
    finally:
        channel.close()


def _refusal(server: DefaultChannelBuilder, error: Exception) -> str:
    if "UNAUTHENTICATED" in str(error):
        return (
            f"The Spark Connect server at {server.endpoint} asks for another token: "
            f"set {TOKEN} to the one that the server was started with."
        )
    return (
        f"The Spark Connect server at {server.endpoint} refuses a session: {spark_sentence(error)}"
    )
