"""Checks of what is installed on this machine: Python, packages, Java, jars, the network."""

from __future__ import annotations

import os
import socket
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from packaging.requirements import Requirement

from scuttlehouse.addresses import CONNECT_PORT, MASTER_PORT, server_of, shown_server
from scuttlehouse.catalog.database import postgresql_address
from scuttlehouse.catalog.jars import jars
from scuttlehouse.operation.findings import Finding
from scuttlehouse.serving.postgresql import serving_database
from scuttlehouse.spark.cluster import secret_of_cluster

_SHOWN = "dbt-core", "dbt-sparkpython", "pyspark", "pyiceberg", "duckdb", "great-expectations"
_INSTALL = "Run `make build`, or `pip install` this project again."
_CONNECT_SECONDS = 5

# The settings that name a server of Spark, each with its scheme and the port that is meant without one.
_SERVERS = {
    "SCUTTLEHOUSE_CONNECT": ("sc", CONNECT_PORT),
    "SCUTTLEHOUSE_MASTER": ("spark", MASTER_PORT),
}


def python() -> Finding:
    """The Python that runs, and the version of this package."""
    ours = f"scuttlehouse {version('scuttlehouse')}"
    return Finding("ok", f"{ours} on Python {sys.version.split()[0]} ({sys.executable})")


def packages() -> Finding:
    """The packages that this one requires, in the versions that it requires."""
    needed = [Requirement(text) for text in requires("scuttlehouse") or ()]
    if postgresql_address() or serving_database():
        needed.append(Requirement("psycopg"))
    wrong = []
    for requirement in needed:
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            wrong.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            wrong.append(f"{requirement.name} is {installed} and not {requirement.specifier}")
    if wrong:
        return Finding("fail", f"{'; '.join(wrong)}.", _INSTALL)
    return Finding("ok", ", ".join(f"{name} {version(name)}" for name in _SHOWN))


def _spark_elsewhere() -> Finding | None:
    """That Spark needs nothing here, if the target `connect` has the address of a server."""
    setting = "SCUTTLEHOUSE_CONNECT"
    named = os.environ.get(setting, "").strip()
    if not named:
        return None
    server = shown_server(named, _SERVERS[setting][1]) or f"that {setting} names"
    return Finding("ok", f"Not needed: Spark runs in the server {server}")


def java() -> Finding:
    """The Java that Spark starts."""
    if elsewhere := _spark_elsewhere():
        return elsewhere
    from dbt.adapters.sparkpython.java import HOW_TO_GET_JAVA, java_path, java_version, why_unfit

    if unfit := why_unfit():
        return Finding("fail", unfit, HOW_TO_GET_JAVA)
    path = java_path()
    number = java_version(path) if path else None
    if number is None:
        return Finding("fail", f"{path} does not say its version.", HOW_TO_GET_JAVA)
    return Finding("ok", f"Java {number} ({path})")


def spark_jars() -> Finding:
    """The jars that `jars.txt` pins, each compared with its checksum."""
    if elsewhere := _spark_elsewhere():
        return elsewhere
    found = jars()
    return Finding("ok", f"{len(found)} jars with the pinned checksums in {found[0].parent}")


def class_archive() -> Finding:
    """The archive of Java classes that lets Spark start in half the time."""
    if elsewhere := _spark_elsewhere():
        return elsewhere
    from dbt.adapters.sparkpython.java import archive_options

    if archive_options():
        return Finding("ok", "Spark starts from an archive of its classes")
    return Finding(
        "warn",
        "There is no archive of Spark's classes for this Java, so Spark starts slowly.",
        "Run `python -m scuttlehouse.spark.class_archive` in the folder of the project.",
    )


def loopback() -> Finding:
    """Whether this process can listen on loopback, as Spark does."""
    try:
        with socket.socket() as listening, socket.socket() as calling:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            calling.settimeout(_CONNECT_SECONDS)
            calling.connect(listening.getsockname())
    except OSError as error:
        return Finding(
            "fail",
            f"Ports of 127.0.0.1 cannot be used ({error.strerror or 'no answer'}).",
            "Allow this user to listen on loopback: Spark and Python talk over it.",
        )
    return Finding("ok", "Ports of 127.0.0.1 can be used")


def master() -> Finding:
    """Whether the master of the target `cluster` or the server of `connect` answers, if one is named."""
    setting = next((name for name in _SERVERS if os.environ.get(name, "").strip()), None)
    if setting is None:
        return Finding("ok", "Spark runs on this machine (SCUTTLEHOUSE_MASTER is not set)")
    scheme, port = _SERVERS[setting]
    server, shown = server_of(os.environ[setting], port), shown_server(os.environ[setting], port)
    if server is None:
        return Finding("fail", f"{setting} names no server.", f"Set it to {scheme}://host:port.")
    if setting == "SCUTTLEHOUSE_MASTER":
        secret_of_cluster()  # It ends a build if the file cannot be used.
    try:
        with socket.create_connection(server, _CONNECT_SECONDS):
            return Finding("ok", f"{shown} answers")
    except (OSError, ValueError):  # The latter if no host can have such a name.
        return Finding(
            "fail",
            f"Nobody answers at {shown} ({setting}).",
            f"Start it, or correct its address: {scheme}://host:port.",
        )


def extensions() -> Finding:
    """The extensions of DuckDB that `scuttlehouse sql` needs."""
    names = "duckdb_extension_avro", "duckdb_extension_iceberg"
    if missing := [name for name in names if find_spec(name) is None]:
        return Finding("fail", f"{', '.join(missing)} is missing.", _INSTALL)
    return Finding("ok", "DuckDB has its extensions avro and iceberg")


INSTALLED = {
    "python": python,
    "packages": packages,
    "java": java,
    "jars": spark_jars,
    "class archive": class_archive,
    "duckdb": extensions,
    "loopback": loopback,
    "master": master,
}
