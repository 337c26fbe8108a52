"""``python -m scuttlehouse.spark.connect_server`` starts a Spark Connect server on this machine.

It is the server of the target ``connect``: it listens on loopback, at the address that SCUTTLEHOUSE_CONNECT
names, and asks for the token in SPARK_CONNECT_AUTHENTICATE_TOKEN. Arguments are those of `spark-submit`.
With ``--print`` it starts nothing, and prints the settings that a server needs as a properties file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from dbt.adapters.sparkpython.session import LOCAL_SETTINGS
from scuttlehouse.addresses import CONNECT_PORT
from scuttlehouse.catalog.home import home_folder, temporary_folder
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.spark import spark_settings
from scuttlehouse.cli.dbt_settings import PROFILES
from scuttlehouse.errors import HouseError
from scuttlehouse.printing import visible
from scuttlehouse.spark.connect import ADDRESS, TOKEN
from scuttlehouse.warehouse_key import warehouse_pepper, write_private

_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"

_DEFAULT_ADDRESS = f"sc://localhost:{CONNECT_PORT}"


def main(arguments: Sequence[str]) -> int:
    """Run a server until it ends or is stopped; return its exit code. What is wrong is said in a sentence."""
    try:
        settings = server_settings()
        temporary = temporary_folder(home_folder())
        if [*arguments] == ["--print"]:
            # These folders go with this process.
            lasting = {key: value for key, value in settings.items() if str(temporary) not in value}
            print(_properties(lasting), end="")
            return 0
        if not os.environ.get(TOKEN):
            raise CatalogError(
                f"{TOKEN} is not set: set it to a secret of your own (`openssl rand -hex 32`), here and for "
                "the client. Without it, every user of this machine could run code as you."
            )
        warehouse_pepper(home_folder())  # The workers must find it: they make none.
    except HouseError as error:
        print(visible(str(error)), file=sys.stderr)
        return 1
    file = temporary / "connect.properties"
    write_private(file, _properties(settings).encode())
    return _run([_spark_submit(), "--properties-file", str(file), "--class", _CLASS, *arguments])


def server_settings() -> dict[str, str]:
    """The settings of a server on this machine: those of the target ``embedded``, and its own address.

    Raises:
        CatalogError: there is no profile here, the address is of another machine, or as
            :func:`spark_settings` does.
    """
    return {
        **_of_embedded(),
        **LOCAL_SETTINGS,
        "spark.connect.grpc.binding.address": LOCAL_SETTINGS["spark.driver.bindAddress"],
        "spark.connect.grpc.binding.port": str(server_port()),
        **spark_settings(),
    }


def server_port(environment: Mapping[str, str] = os.environ) -> int:
    """The port in SCUTTLEHOUSE_CONNECT.

    Raises:
        CatalogError: the address is not one of this machine.

    >>> server_port({"SCUTTLEHOUSE_CONNECT": "sc://localhost:15010"}), server_port({})
    (15010, 15002)
    """
    named = environment.get(ADDRESS, "").strip() or _DEFAULT_ADDRESS
    try:
        parts = urlsplit(named)
        port = parts.port
    except ValueError:
        port = None
    if port is None or (parts.scheme, parts.hostname, parts.path) != ("sc", "localhost", ""):
        raise CatalogError(
            f"{ADDRESS} is not an address of this machine: set it to sc://localhost:port, or start "
            "the server on the other machine."
        )
    return port


def _of_embedded() -> dict[str, str]:
    for folder in PROFILES:
        file = folder / "profiles.yml"
        if file.is_file():
            outputs = yaml.safe_load(file.read_text("utf-8"))["scuttlehouse"]["outputs"]
            settings: dict[str, str] = outputs["embedded"]["server_side_parameters"]
            return settings
    raise CatalogError(
        f"There is no {PROFILES[0]}/profiles.yml: run this in the folder of the project."
    )


def _properties(settings: Mapping[str, str]) -> str:
    """Settings as lines of a properties file, where a backslash escapes.

    >>> _properties({"spark.ui.enabled": "false"})
    'spark.ui.enabled false\\n'
    """
    lines = (f"{key} {settings[key]}\n" for key in sorted(settings))
    return "".join(line.replace("\\", "\\\\") for line in lines)


def _spark_submit() -> str:
    spec = find_spec("pyspark")
    assert spec is not None, "a dependency of this package"
    assert spec.origin is not None, "a package with files"
    return str(Path(spec.origin).parent / "bin" / "spark-submit")


def _run(command: Sequence[str]) -> int:
    # Spark's scripts take a SPARK_HOME for another Spark, and SPARK_REMOTE for a wish to be a client.
    environment = {k: v for k, v in os.environ.items() if k not in ("SPARK_HOME", "SPARK_REMOTE")}
    environment.setdefault("PYSPARK_PYTHON", sys.executable)
    with subprocess.Popen(command, env=environment) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        try:
            return server.wait()
        except KeyboardInterrupt:  # The server gets it too, and ends.
            return server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
