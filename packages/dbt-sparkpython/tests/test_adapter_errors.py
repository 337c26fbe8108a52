"""The adapter's messages about errors."""

from __future__ import annotations

import doctest
import os
import socket
import subprocess
import sys
import traceback
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.clientserver import ClientServerConnection, JavaParameters, PythonParameters
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException, PySparkRuntimeError

from conftest import Project
from dbt.adapters.sparkpython import (
    calls,
    connections,
    java,
    remote,
    sentences,
    session,
)
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.frames import to_spark
from dbt.adapters.sparkpython.python_models import SessionPythonJobHelper, _blank_lines_on_top
from dbt.adapters.sparkpython.tracebacks import model_sentence


@pytest.fixture(scope="module")
def running(unbuilt: Project) -> Project:
    """The project with a running Spark and its schema."""
    assert unbuilt.dbt("run", "--select", "numbers").success
    return unbuilt


@pytest.fixture(scope="module")
def broken(running: Project) -> dict[str, Any]:
    """The results of the broken models."""
    return running.results("run", "--select", "tag:broken")


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        (
            "raises",
            [
                "The model raised json.decoder.JSONDecodeError: Expecting property name enclosed",
                "models/broken/raises.py, line 13, in parse: return json.loads(text)",
                "raised in ",
            ],
        ),
        (
            "raises_in_worker",
            [
                "The model raised ValueError: no ",
                "(in a Python worker)",
                "models/broken/raises_in_worker.py, line 12, in fail: raise ValueError(",
            ],
        ),
        (
            "raises_in_spark",
            [
                "The model raised [UNRESOLVED_COLUMN.WITH_SUGGESTION]",
                "`nowhere` cannot be resolved. Did you mean one of the following? [`id`]",
                "models/broken/raises_in_spark.py, line 4, in model: return dbt.ref(",
            ],
        ),
        ("exits", ["The model raised SystemExit: enough", "models/broken/exits.py, line 7"]),
        (
            "returns_none",
            ["The model returned nothing", "must return a pyspark DataFrame, a pandas"],
        ),
        ("returns_text", ["The model returned a str, not a pyspark DataFrame, a pandas DataFrame"]),
        (
            "returns_mixture",
            ["Writing what the model returned raised", "Conversion failed", "column x"],
        ),
        (
            "lacks_package",
            [
                "No module named 'a_package_nobody_has'",
                "models/broken/lacks_package.py, line 4",
                f"{sys.executable} -m pip install a-package-nobody-has",
            ],
        ),
        ("lacks_model", ["models/broken/lacks_model.py has no function `model(dbt, session)`"]),
        (
            "unknown_column",
            ["[UNRESOLVED_COLUMN.WITH_SUGGESTION]", "       nowhere\n", "       ^^^^^^^"],
        ),
        ("unparsable", ["[PARSE_SYNTAX_ERROR]", "from tiny.numbers wher id > 1\n", "^"]),
        ("fails_at_run_time", ["[USER_RAISED_EXCEPTION] out of numbers"]),
    ],
)
def test_error_is_a_sentence(broken: dict[str, Any], model: str, parts: list[str]) -> None:
    result = broken[model]
    assert result.status == "error"
    for part in parts:
        assert part in result.message
    assert "\tat " not in result.message
    assert "JVM stacktrace" not in result.message
    assert len(result.message.splitlines()) <= 8


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[X] No column `a`. SQLSTATE: 42703; line 2 pos 7;\n'Project ['a]\n+- Range (0, 3)\n\n\n"
            "JVM stacktrace:\norg.apache.spark.sql.AnalysisException\n\tat org.apache.Some.code",
            "[X] No column `a`. SQLSTATE: 42703",
        ),
        (
            "An error occurred while calling o38.sql.\n: org.apache.spark.SparkException: Job aborted"
            " due to stage failure\n\tat org.apache.Some.code\n"
            "Caused by: java.io.IOException: Task failed\n\tat org.apache.Some.code\n"
            "Caused by: java.io.IOException: No space left on device\n\t... 7 more\n",
            "Job aborted due to stage failure. The cause: IOException: No space left on device",
        ),
        (
            "An error occurred while calling o38.sql.\n: java.lang.OutOfMemoryError: Java heap space"
            "\n\tat java.base/Some.code",
            "OutOfMemoryError: Java heap space. Give Spark more memory: spark.driver.memory in the profile.",
        ),
        # A full stop stands once, and a cause that has been told already is not told again.
        (
            "Job aborted.\n\tat org.apache.Some.code\nCaused by: java.io.IOException: No space.\n\tat b",
            "Job aborted. The cause: IOException: No space.",
        ),
        (
            "java.io.IOException: No space.\n\tat a\nCaused by: java.io.IOException: No space.\n\tat b",
            "IOException: No space.",
        ),
        (
            "Stopped.\n\tat a\n java.lang.OutOfMemoryError\n",
            "Stopped. Give Spark more memory: spark.driver.memory in the profile.",
        ),
    ],
)
def test_a_java_stack_becomes_a_sentence(text: str, sentence: str) -> None:
    assert sentences.spark_sentence(PySparkException(message=text)) == sentence


def test_place_of_an_error_is_found_in_the_statement_itself() -> None:
    text = "\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'. SQLSTATE: 42601 (line 2, pos 3)\n"
    assert "\n" not in sentences.spark_sentence(PySparkException(message=text))
    said = sentences.spark_sentence(PySparkException(message=text), "select\n  x x x\nfrom t")
    assert said.splitlines() == [
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'. SQLSTATE: 42601",
        "SQL (line 2, position 4):",
        "      x x x",
        "       ^",
    ]
    # The statement has no such line: the text is about something else.
    said = sentences.spark_sentence(
        PySparkException(message="[X] no JSON (line 2, pos 3)"), "select 1"
    )
    assert said == "[X] no JSON"
    said = sentences.spark_sentence(PySparkException(message="[X] no (line 1, pos 7)"), "select x")
    assert said.splitlines()[1:] == ["SQL (line 1, position 8):", "    select x", "           ^"]
    # Spark shows the line, of a view perhaps, and marks what is wrong.
    text = "[X] no\n\n== SQL of VIEW a (line 9, position 8) ==\nselect x\n-------^\n"
    said = sentences.spark_sentence(PySparkException(message=text))
    assert said.splitlines()[1:] == [
        "SQL of VIEW a (line 9, position 8):",
        "    select x",
        "           ^",
    ]


def test_an_end_of_java_says_where_its_last_words_are() -> None:
    said = sentences.spark_sentence(Py4JNetworkError("Answer from Java side is empty"))
    assert said.startswith("Spark's Java process has ended unexpectedly")
    assert "spark.log" in said
    # A call that Java has not answered says the same. One that it has refused says why.
    unanswered = "An error occurred while calling o1.sql"
    assert sentences.spark_sentence(Py4JError(unanswered)) == said
    assert sentences.spark_sentence(Py4JError(f"{unanswered}. Trace:\nNo such method")) != said
    assert not sentences.is_spark_error(ValueError(unanswered))


def test_a_connection_that_a_dead_java_refuses_says_the_same() -> None:
    """Py4J raises what the system says of it. That of another server is told as it is."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    ours = SimpleNamespace(pool=None)
    refused = ClientServerConnection(
        JavaParameters(port=port), PythonParameters(), ours, None, None
    )
    with (
        pytest.raises(DbtDatabaseError, match="Spark's Java process has ended unexpectedly"),
        connections.spark_errors_as_sentences("select 1"),
    ):
        refused.connect_to_java_server()
    with pytest.raises(ConnectionError) as of_java:
        refused.connect_to_java_server()
    assert "Java process has ended" in model_sentence(of_java.value, "m.py", 9, [])
    with pytest.raises(ConnectionError) as of_others:
        socket.create_connection(("127.0.0.1", port))
    assert "ConnectionRefusedError" in model_sentence(of_others.value, "m.py", 9, [])


def test_an_error_that_is_a_sentence_stands_by_itself() -> None:
    class FolderError(Exception):
        is_sentence = True

    said = "The folder /logs does not exist: make it."
    assert model_sentence(FolderError(said), "model.py", 9, []) == said
    assert model_sentence(ValueError(said), "model.py", 9, []).endswith(
        f" raised ValueError: {said}"
    )


def raised(files: dict[str, str]) -> BaseException:
    """The error of the function `model` in the last of some files, which see each other's names."""
    names: dict[str, Any] = {}
    for file, source in files.items():
        exec(compile(source, file, "exec"), names)
    with pytest.raises(KeyError) as error:
        names["model"]()
    return error.value


def test_the_place_of_an_error_is_in_the_lines_of_the_model() -> None:
    """dbt adds lines below them. What PySpark's own files do is not told."""
    error = raised({"m.py": "def model():\n    below()\n\ndef below():\n    raise KeyError(1)\n"})
    told = "The model raised KeyError: 1\nm.py, line 2, in model\nraised in m.py, line 5"
    assert model_sentence(error, "m.py", 2, []) == told
    assert model_sentence(error, "m.py", 1, []) == (
        "Writing what the model returned raised KeyError: 1"
    )
    below = {"/lib/pyspark/a.py": "def below():\n    raise KeyError(1)\n"}
    error = raised(below | {"m.py": "def model():\n    below()\n"})
    assert "raised in" not in model_sentence(error, "m.py", 2, [])


def test_a_missing_package_is_told_by_its_name() -> None:
    """A module that a package lacks is another fault."""
    for module, end in (("nobody_has.it", "-m pip install nobody_has"), ("json.no", "'json.no'")):
        error = ImportError(f"No module named '{module}'")
        assert model_sentence(error, "m.py", 2, []).endswith(end)


def test_lines_are_counted_in_the_file_of_the_model(tmp_path: Path) -> None:
    """A model of an installed package may have the path of a file of the project, or of none."""
    file = tmp_path / "a.py"
    file.write_text("\n \n\nx = 1\n")
    counted = [_blank_lines_on_top(file, code) for code in ("x = 1", "x = 2")]
    assert [*counted, _blank_lines_on_top(tmp_path / "b.py", "x = 1")] == [3, 0, 0]


def test_every_broken_model_is_judged(broken: dict[str, Any]) -> None:
    cases = test_error_is_a_sentence.pytestmark[0].args[1]
    assert sorted(broken) == sorted(model for model, _ in cases)


def test_old_java_is_refused(unbuilt: Project, tmp_path: Path) -> None:
    old = tmp_path / "old" / "bin" / "java"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\nexit 1\n")
    old.chmod(0o755)
    run = unbuilt.start(
        "run",
        "-s",
        "numbers",
        "--log-path",
        str(tmp_path),
        home=tmp_path,
        JAVA_HOME=f"{tmp_path}/old",
    )
    printed = run.communicate()[0]
    assert run.returncode != 0
    assert f"Spark needs Java 17 to 22, and {old} is Java 11. Install" in printed
    assert "Traceback" not in printed


def test_parsing_starts_no_java(unbuilt: Project, tmp_path: Path) -> None:
    run = unbuilt.start("parse", "--log-path", str(tmp_path), home=tmp_path)
    run.communicate()
    assert run.returncode == 0
    assert (tmp_path / "dbt.log").exists()
    assert not (tmp_path / "spark.log").exists()


def test_missing_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no `java` on the PATH. Install" in java.why_not_started(log)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert f"JAVA_HOME ({tmp_path}) has no bin/java. Install" in java.why_not_started(log)


def test_java_that_does_not_start_is_quoted_without_its_chatter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(java, "why_unfit", lambda: None)
    log = tmp_path / "spark.log"
    for printed, why in (
        ("Picked up OPTIONS\n\nNo room\n\tmore\n", "No room"),
        ("", "it printed nothing"),
    ):
        log.write_text(printed)
        assert f"ended before it was ready: {why} (see {log})" in java.why_not_started(log)


def test_java_that_refuses_its_options_is_quoted(tmp_path: Path) -> None:
    start = f"""
from pathlib import Path
from dbt.adapters.sparkpython import session
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
options = {{"spark.driver.extraJavaOptions": "-XX:MaxHeapFreeRatio=much"}}
target = SparkPythonCredentials(schema="s", server_side_parameters=options)
session.log_to(Path({str(tmp_path)!r}))
session.begin_to_open(target, with_workers=True)
session.open_session(target)
"""
    run = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=False)
    assert "ended before it was ready: Improperly specified VM option" in run.stderr


@pytest.mark.parametrize(
    ("master", "own"),
    [
        ("local[2]", {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}),
        # The workers of a cluster have another Python. Nobody here can run it.
        (
            "spark://host:7077",
            dict.fromkeys(
                ["PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYSPARK_SUBMIT_ARGS"], "/other"
            ),
        ),
    ],
)
def test_another_spark_in_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, master: str, own: dict[str, str]
) -> None:
    names = "SPARK_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYSPARK_SUBMIT_ARGS"
    for name in names:
        monkeypatch.setenv(name, "/other")
    found = {}

    def launch(*_: object) -> None:
        found.update({name: os.environ[name] for name in names if name in os.environ})
        raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})

    monkeypatch.setattr(java, "launch_gateway", launch)
    with pytest.raises(DbtRuntimeError):
        java.start({"spark.master": master}, tmp_path / "spark.log")
    assert found == {"SPARK_HOME": str(Path(pyspark.__file__).parent), **own}


def test_output_of_spark_that_cannot_be_written(tmp_path: Path) -> None:
    """As on a full disk. A Spark that is started ahead keeps such an error to itself: it is told later."""
    (tmp_path / "file").touch()
    file = tmp_path / "file" / "spark.log"
    with pytest.raises(DbtRuntimeError, match=rf"Spark's output cannot be written to {file} \("):
        java.start({"spark.master": "local[1]"}, file)


@pytest.mark.parametrize(
    ("version", "is_fit"),
    [("1.8.0_402", False), ("21.0.8", True), ("25", False), ("nobody knows", True)],
)
def test_versions_of_java(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, is_fit: bool
) -> None:
    found = tmp_path / "bin" / "java"
    found.parent.mkdir()
    found.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    found.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    number = version.removeprefix("1.").partition(".")[0]
    refused = f"Spark needs Java 17 to 22, and {found} is Java {number}."
    assert java.why_unfit() == (None if is_fit else refused)


def test_an_address_of_a_server_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: str) -> None:
        raise PySparkRuntimeError(f"Target destination {address} should match <host>:<port>.", "X")

    client = ModuleType("pyspark.sql.connect.client")
    vars(client)["DefaultChannelBuilder"] = refuse
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.client", client)
    address = "sc://user:hush@localhost:1/;token=hush"
    with pytest.raises(DbtRuntimeError, match="it must be sc://host:port") as refused:
        remote.connect({"spark.remote": address})
    assert "hush" not in "".join(traceback.format_exception(refused.value))


def test_spark_that_fails_in_a_newer_java_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    unfit = "Spark needs Java 17 to 22, and java is Java 25."
    monkeypatch.setattr(java, "is_running", lambda: True)
    monkeypatch.setattr(java, "why_unfit", lambda: unfit)
    with pytest.raises(DbtRuntimeError, match=f"{unfit} Install"):
        session._start_here({"spark.remote": "sc://localhost"})


@pytest.mark.usefixtures("running")
def test_spark_that_does_not_start_says_why() -> None:
    # Refused beside a running Spark, or, before that, because the packages of Spark Connect are missing.
    why = r"Spark did not start: \[(SESSION_ALREADY_EXIST|PACKAGE_NOT_INSTALLED)\]"
    with pytest.raises(DbtRuntimeError, match=why):
        session._start_here({"spark.remote": "sc://localhost"})


def test_a_client_of_spark_connect_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc_status", None)
    with pytest.raises(
        DbtRuntimeError, match=r"needs more packages: pip install 'pyspark\[connect\]'"
    ):
        session._start({"spark.remote": "sc://localhost"})


def target(parameters: dict[str, str], **fields: str) -> SparkPythonCredentials:
    return SparkPythonCredentials(schema="s", server_side_parameters=parameters, **fields)


def test_settings_of_a_running_spark_cannot_change(running: Project) -> None:
    parameters = session._opened_with
    with pytest.raises(DbtRuntimeError, match=r"already runs .* spark\.sql\.warehouse\.dir"):
        session.open_session(target({**parameters, "spark.sql.warehouse.dir": "/elsewhere"}))
    changed = target({**parameters, "spark.sql.shuffle.partitions": "3"})
    assert session.open_session(changed) is running.session
    assert running.session.conf.get("spark.sql.shuffle.partitions") == "3"


def computed() -> dict[str, str]:
    return {"spark.app.name": "computed"}


def refused() -> dict[str, str]:
    raise ValueError("The jar is missing.")


def test_settings_that_a_function_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("settings_of_mine")
    module.__dict__.update(computed=computed, refused=refused)
    monkeypatch.setitem(sys.modules, "settings_of_mine", module)
    assert session.computed_settings(target({})) == {}
    assert session.computed_settings(target({}, spark_settings="settings_of_mine.computed")) == (
        computed()
    )
    with pytest.raises(DbtRuntimeError, match=r"The jar is missing\."):
        session.computed_settings(target({}, spark_settings="settings_of_mine.refused"))
    for name in ("settings_of_mine.no", "nobody.has_it", "alone"):
        with pytest.raises(DbtRuntimeError, match=rf"There is no Python function {name}: "):
            session.computed_settings(target({}, spark_settings=name))


def test_nobody_beyond_this_machine_reaches_spark(running: Project) -> None:
    conf = running.session.sparkContext.getConf()
    assert conf.get("spark.authenticate") == "true"
    listening: set[IPv4Address | IPv6Address] = set()
    for pid in {os.getpid(), *children(os.getpid())}:
        with suppress(FileNotFoundError, ProcessLookupError):  # The process has ended.
            listening |= listening_addresses(pid)
    assert listening
    assert all(address.is_loopback for address in listening), listening


def children(pid: int) -> set[int]:
    """All processes that a process has started, and the processes that those have started."""
    found: set[int] = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found |= {int(child), *children(int(child))}
    return found


def listening_addresses(pid: int) -> set[IPv4Address | IPv6Address]:
    """The addresses where a process listens for connections."""
    sockets = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir() if one.exists()}
    found: set[IPv4Address | IPv6Address] = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] != "0A" or f"socket:[{fields[9]}]" not in sockets:
                continue
            words = bytes.fromhex(fields[1].partition(":")[0])
            ordered = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
            address = ip_address(ordered)
            found.add(getattr(address, "ipv4_mapped", None) or address)
    return found


def test_python_models_need_the_session() -> None:
    credentials = SparkPythonCredentials(
        method="session", host="h", schema="s", database=None, server_side_parameters={}
    )
    credentials.method = "thrift"
    with pytest.raises(DbtRuntimeError, match="Python models need `method: session`"):
        SessionPythonJobHelper(Path(), {}, credentials)


@pytest.mark.parametrize(("setting", "kind"), [("NTZ", "timestamp_ntz"), ("LTZ", "timestamp")])
def test_a_table_without_rows_has_the_times_that_spark_is_set_to(setting: str, kind: str) -> None:
    spark: Any = SimpleNamespace(
        conf={"spark.sql.timestampType": f"TIMESTAMP_{setting}"},
        createDataFrame=lambda rows, schema: (rows, schema.simpleString()),
    )
    empty = pa.table({"at": pa.array([], pa.timestamp("us"))})
    assert to_spark(spark, empty) == ([], f"struct<at:{kind}>")
    with pytest.raises(DbtRuntimeError, match="The model returned an int, not a pyspark"):
        to_spark(spark, 5)


@pytest.mark.parametrize("module", [calls, connections])
def test_doctests(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed
