"""A cluster of Spark: what its workers need, and whether they have it."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from zipfile import ZipFile

from scuttlehouse.addresses import CONNECT_PORT, shown_server
from scuttlehouse.catalog.home import home_folder, temporary_folder
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.spark import spark_settings
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.errors import HouseError
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.spark.worker_checks import REQUIREMENTS, Needed, checker, fingerprint
from scuttlehouse.warehouse_key import warehouse_pepper, write_private


class ClusterError(HouseError):
    """The workers cannot do a build; the message says which, why and what to do."""


def cluster_settings() -> dict[str, str]:
    """The settings of every target, and how jars, this package and the secret come to the workers.

    Raises:
        CatalogError: as :func:`spark_settings` does, or the file of the secret is missing.
    """
    settings = spark_settings()
    home = home_folder()
    warehouse_pepper(home)  # The workers must find it: they make none.
    jars = settings["spark.driver.extraClassPath"].split(os.pathsep)
    return settings | {
        "spark.jars": ",".join(jars),
        "spark.submit.pyFiles": str(package_archive(temporary_folder(home))),
        **_secret(temporary_folder(home)),
    }


def package_archive(folder: Path) -> Path:
    """This package as an archive that Python imports from."""
    archive = folder / "scuttlehouse.zip"
    package = Path(__file__).parents[1]
    with ZipFile(archive, "w") as written:
        for file in sorted(package.rglob("*.py")):
            written.write(file, file.relative_to(package.parent))
    return archive


def secret_of_cluster() -> str:
    """The secret in the file that ``SCUTTLEHOUSE_SPARK_SECRET_FILE`` names. Empty if it names none.

    Raises:
        CatalogError: the file cannot be read, or has no text.
    """
    named = os.environ.get("SCUTTLEHOUSE_SPARK_SECRET_FILE", "").strip()
    if not named:
        return ""
    secret, wrong = "", "is no file"
    try:
        if Path(named).is_file():
            secret, wrong = Path(named).read_text("utf-8").strip(), "is empty"
    except OSError as error:
        wrong = f"cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        wrong = "is no text"
    if not secret:
        raise CatalogError(
            f"SCUTTLEHOUSE_SPARK_SECRET_FILE is {named}, which {wrong}: name the file with the secret of the "
            "cluster (spark.authenticate.secret of its master and workers)."
        )
    return secret


def _secret(temporary: Path) -> dict[str, str]:
    secret = secret_of_cluster()
    if not secret:
        return {}
    # For a standalone cluster Spark takes the secret as a setting only. Settings that Python gives are
    # arguments of Java, which other users of this machine can see. Java reads a file of properties itself.
    secret = secret.replace("\\", "\\\\")
    file = temporary / "secret.properties"
    write_private(file, f"spark.authenticate.secret {secret}\n".encode())
    options = ["--properties-file", str(file), "--load-spark-defaults", "pyspark-shell"]
    os.environ["PYSPARK_SUBMIT_ARGS"] = shlex.join(options)
    return {"spark.authenticate": "true"}


def check_workers() -> None:
    """See whether the workers of a cluster or a server can do a build. Not if Spark runs in this process.

    There are as many checks as cores: a worker that starts later is not checked.

    Raises:
        ClusterError: one lacks a Python package, the landing folder, the home or the key of the warehouse.
    """
    from pyspark.sql import SparkSession

    from dbt.adapters.sparkpython.remote import is_remote
    from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence

    session = SparkSession.builder.getOrCreate()
    home = home_folder()
    master = str(session.conf.get("spark.master"))
    if is_remote({}):
        server = shown_server(os.environ.get("SCUTTLEHOUSE_CONNECT", ""), CONNECT_PORT)
        place = f"the server {server}".strip()
    elif master.startswith("local"):
        return
    else:
        place = master
    key = fingerprint(warehouse_pepper(home))
    check = checker(Needed(str(home), warehouse_location(home), landing_folder(), key))
    try:
        rows = session.range(1).mapInArrow(check, "problem string").collect()
    except SPARK_ERRORS as error:
        version = ".".join(map(str, sys.version_info[:2]))
        # Python's worker gives its whole stack; its last line says what is missing.
        reason = spark_sentence(error).partition(" The cause: ")[0].strip().splitlines()[-1]
        raise ClusterError(
            f"The workers of {place} cannot run this package: {reason} Install "
            f"Python {version} and {' '.join(REQUIREMENTS.values())} on every worker, and set "
            "PYSPARK_PYTHON to the path of that Python there."
        ) from None
    if problems := sorted({row.problem for row in rows}):
        raise ClusterError(" ".join(problems))
