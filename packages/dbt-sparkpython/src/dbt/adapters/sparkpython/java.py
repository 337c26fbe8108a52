"""The Java process that runs Spark for the dbt process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway

# The file that `class_archive` makes.
ARCHIVE = Path(sys.prefix, "spark-classes.jsa")

# Spark 4.1 needs Java 17, and its Hadoop a method that Java 23 refuses (`Subject.getSubject`).
FIT_VERSIONS = range(17, 23)
CHATTER = re.compile(r"WARN|^Using |^Picked up |^Setting |^To adjust |^\s*$")
HOW_TO_GET_JAVA = (
    "Install a JDK or JRE 17 or 21 (`apt-get install openjdk-17-jre-headless`,"
    " `brew install openjdk@17` or `conda install openjdk=17`) and set JAVA_HOME to it."
)


def is_running() -> bool:
    """Whether this process has started Java."""
    return SparkContext._gateway is not None


def start(parameters: dict[str, str], log_file: Path) -> None:
    """Start Java. All of its output goes to `log_file`, from the first line on.

    Raises:
        DbtRuntimeError: Java does not start, or the file cannot be written.
    """
    _settle_environment(parameters)
    conf = SparkConf(loadDefaults=False)
    for key, value in parameters.items():
        conf.set(key, value)
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    options = [parameters.get("spark.driver.extraJavaOptions", ""), *archive_options()]
    conf.set("spark.driver.extraJavaOptions", " ".join(options).strip())
    try:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        log_file.write_bytes(b"")
    except OSError as error:
        raise DbtRuntimeError(
            f"Spark's output cannot be written to {log_file} ({error.strerror}): correct that, or set"
            " DBT_LOG_PATH to a folder that this user can write."
        ) from error
    with log_file.open("ab") as log:
        streams: dict[str, Any] = {"stdout": log, "stderr": log}
        try:
            gateway = launch_gateway(conf, streams)  # type: ignore[no-untyped-call]
        except PySparkRuntimeError as error:
            raise DbtRuntimeError(why_not_started(log_file)) from error
    SparkContext._ensure_initialized(gateway=gateway, conf=conf)


def archive_options() -> list[str]:
    """The Java options that make Java read the archive of Spark's classes, if there is one."""
    return [f"-XX:SharedArchiveFile={ARCHIVE}"] if ARCHIVE.exists() else []


def _settle_environment(parameters: dict[str, str]) -> None:
    """Let Java run the Spark that PySpark comes with, in the way that the target says.

    The environment may name another Spark. For a Spark in this process, it may name another Python and
    other options, too; elsewhere these are the way to say what workers have.
    """
    if is_local(parameters):
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        os.environ.pop("PYSPARK_SUBMIT_ARGS", None)
    os.environ.pop("SPARK_HOME", None)
    # Named here, or Spark's scripts would look for it with the Python of the workers.
    os.environ["SPARK_HOME"] = _find_spark_home()  # type: ignore[no-untyped-call]


def is_local(parameters: dict[str, str]) -> bool:
    """Whether Spark runs in one Java process on this machine."""
    return parameters.get("spark.master", "local[*]").startswith("local")


def why_not_started(log_file: Path) -> str:
    """One sentence about why Java did not start, from a look at this machine's Java."""
    if unfit := why_unfit():
        return f"{unfit} {HOW_TO_GET_JAVA}"
    lines = log_file.read_text(errors="replace").splitlines()
    reason = next((line for line in lines if not CHATTER.search(line)), "it printed nothing")
    return f"Spark's Java process ended before it was ready: {reason} (see {log_file})"


def why_unfit() -> str | None:
    """Why Spark cannot run with the Java of this machine. Null if its version fits, or is not known."""
    needed = f"Spark needs Java {FIT_VERSIONS[0]} to {FIT_VERSIONS[-1]}"
    java = java_path()
    if java is None:
        home = os.environ.get("JAVA_HOME")
        where = f"JAVA_HOME ({home}) has no bin/java" if home else "there is no `java` on the PATH"
        return f"{needed}, and {where}."
    version = java_version(java)
    if version is not None and version not in FIT_VERSIONS:
        return f"{needed}, and {java} is Java {version}."
    return None


def java_path() -> str | None:
    """The `java` that Spark's launcher starts, or null."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=str(Path(home, "bin")) if home else None)


@cache
def java_version(java: str) -> int | None:
    """The major version that `java -version` reports: 8 for "1.8.0_402", 17 for "17.0.15"."""
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None
