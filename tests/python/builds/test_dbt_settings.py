"""What dbt's environment variables change in `scuttlehouse build`, without dbt."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from unittest.mock import patch

import pyarrow as pa
import pytest
from dbt.cli.main import dbtRunner, dbtRunnerResult

from conftest import PROJECT
from scuttlehouse.builds.progress import LastBuild
from scuttlehouse.catalog.names import WORK
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.cli import build, main
from scuttlehouse.cli.dbt_settings import CHANGING, is_plain_build
from small_warehouse import SmallWarehouse

# What dbt would return if it ran.
DBT_RAN = 7

build_with_progress = build._build_with_progress


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWarehouse:
    """A warehouse with a published build. A command in the project finds nothing new."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DBT_TARGET", raising=False)
    monkeypatch.chdir(PROJECT)
    small = SmallWarehouse(tmp_path / "home")
    published = small.publish({"fct_numbers": pa.table({"number": [1]})})
    monkeypatch.setattr(
        "scuttlehouse.builds.unchanged.unchanged_build", lambda _home, _project: published
    )
    monkeypatch.setattr(build, "_log_unchanged", lambda _home, _started_at: None)
    monkeypatch.setattr(build, "_build_with_progress", lambda _options, _project: DBT_RAN)
    return small


@pytest.mark.parametrize(
    "variables",
    [
        "",
        "DBT_TARGET=embedded",
        "DBT_TARGET=local_big",
        "DBT_ENGINE_TARGET=cluster DBT_TARGET=nonsense",
        "DBT_PROFILE=scuttlehouse",
        "DBT_FULL_REFRESH=",
        "DBT_FULL_REFRESH=False DBT_EMPTY=0",
        "DBT_USE_COLORS=false DBT_SEND_ANONYMOUS_USAGE_STATS=false DBT_TARGET_PATH=/tmp",
        "DBT_EXCLUDE_RESOURCE_TYPES=unit_test",
    ],
)
def test_dbt_need_not_run(variables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in variables.split():
        monkeypatch.setenv(*variable.split("="))
    assert main(["build"]) == 0


@pytest.mark.parametrize(
    "variables",
    [
        "DBT_FULL_REFRESH=1",
        "DBT_ENGINE_FULL_REFRESH=true",
        "DBT_EMPTY=yes",
        "DBT_SAMPLE=3 days",
        "DBT_TARGET=dev",
        "DBT_TARGET=nonsense",
        "DBT_ENGINE_TARGET=dev",
        "DBT_PROFILE=nonsense",
        "DBT_PROFILES_DIR=/nonexistent",
        "DBT_PROJECT_DIR=elsewhere",
        "DBT_RESOURCE_TYPES=model",
        "DBT_WARN_ERROR=nonsense",
    ],
)
def test_dbt_runs_where_its_variables_ask_for_more(
    variables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*variables.split("="))
    assert main(["build"]) == DBT_RAN


@pytest.mark.parametrize(
    ("profiles", "is_plain"),
    [
        ("club: {target: a, outputs: {a: {schema: scuttlehouse_work}}}", True),
        ("club: {outputs: {default: {schema: scuttlehouse_work}}}", True),
        ("club: {target: a, outputs: {a: {schema: scuttlehouse_dev_ann}}}", False),
        ("club: {target: '{{ target }}', outputs: {a: {schema: scuttlehouse_work}}}", False),
        ("another: {target: a, outputs: {a: {schema: scuttlehouse_work}}}", False),
        ("club: [a]", False),
        ("club: {{ jinja }}", False),
        ("", False),
    ],
)
def test_the_profile_says_whether_builds_are_published(
    profiles: str, is_plain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dbt_project.yml").write_text("profile: club\n")
    (tmp_path / "profiles.yml").write_text(profiles)
    monkeypatch.chdir(tmp_path)
    assert is_plain_build(tmp_path) == is_plain
    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("DBT_PROFILES_DIR", str(tmp_path))
    assert is_plain_build(tmp_path) == is_plain


@pytest.mark.parametrize(
    ("options", "variable", "is_told"),
    [
        ("--full-refresh", "", True),
        ("-f", "", True),
        ("-xf --target embedded", "", True),
        ("", "on", True),
        ("-s fct_numbers", "", False),
        ("--fail-fast", "0", False),
    ],
)
def test_a_full_refresh_needs_no_damaged_table(
    small: SmallWarehouse,
    options: str,
    variable: str,
    is_told: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path(small.write("fct_numbers", pa.table({"number": [2]}))).write_text("{}")
    monkeypatch.setenv("DBT_FULL_REFRESH", variable)
    main(["build", *options.split()])
    said = "the table fct_numbers is damaged. This build makes it again.\n"
    assert (said in capsys.readouterr().out) == is_told


def test_tables_on_a_disk_that_is_not_there_are_not_forgotten(small: SmallWarehouse) -> None:
    (small.home / "warehouse").rename(small.home.parent / "unmounted")
    assert main(["build", "--full-refresh"]) == DBT_RAN
    with open_catalog(small.home) as catalog:
        assert catalog.tables(WORK).keys() == {"fct_numbers"}


@pytest.mark.parametrize(
    "options", ["--help", "--full-refresh --help", "-fh", "--help --verify", "--verify -s x -h"]
)
def test_help_comes_before_anything_else(
    small: SmallWarehouse, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(small.write("fct_numbers", pa.table({"number": [2]}))).write_text("{}")
    with open_catalog(small.home) as catalog:
        before = catalog.tables(WORK)
    assert main(["build", *options.split()]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("scuttlehouse build takes the options of dbt build, which follow, and ")
    assert "\n  --verify  Read all logs and tables first" in out
    assert "--full-refresh" in out.partition("Usage: dbt build [OPTIONS]")[2]
    with open_catalog(small.home) as catalog:
        assert catalog.tables(WORK) == before, "nothing is forgotten"


def test_the_help_of_all_commands_tells_of_verify(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--verify" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "code"), [("1", DBT_RAN), ("yes", DBT_RAN), ("0", 0), ("False", 0), (" ", 0), ("", 0)]
)
def test_a_variable_asks_to_verify_or_not(
    value: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_VERIFY", value)
    assert main(["build"]) == code


def test_dbt_has_these_variables() -> None:
    from dbt.cli.main import cli

    known = {name for option in cli.commands["build"].params for name in option.envvar or ()}
    assert {f"DBT_ENGINE_{name}" for name in CHANGING} <= known
    assert {f"DBT_{name}" for name in CHANGING} <= known


def test_without_a_project_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd\nname").mkdir()
    monkeypatch.chdir(tmp_path / "odd\nname")
    assert main(["build"]) == build.DBT_CANNOT_RUN
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"There is no dbt project in {tmp_path}/odd\\x0aname: run this command")
    assert err.count("\n") == 1
    assert main(["build", "--project-dir", str(PROJECT)]) == DBT_RAN
    (tmp_path / "dbt_project.yml").touch()
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path / "models")
    assert main(["build", "--full-refresh"]) == DBT_RAN


def test_an_option_without_its_value_takes_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`build -s` would take the options that follow as names of models, and build nothing, successfully."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    assert main(["build", "-s"]) == build.DBT_CANNOT_RUN
    assert "Option '-s' requires an argument." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "variables", "sentence"),
    [
        (["--threads", "many"], {}, "Invalid value for '--threads': 'many' is not a valid integer"),
        ([], {"DBT_FULL_REFRESH": "maybe"}, "'maybe' is not a valid boolean"),
        (
            ["-f"],
            {"DBT_INDIRECT_SELECTION": "none"},
            "Invalid value for '--indirect-selection': 'none'",
        ),
    ],
)
def test_a_value_that_dbt_refuses_is_told_with_its_option(
    options: list[str],
    variables: dict[str, str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`dbt build` names the option; dbt's runner, which `scuttlehouse build` uses, leaves it out."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["build", *options]) == build.DBT_CANNOT_RUN
    out = capsys.readouterr().out
    assert sentence in out
    assert all(name.removeprefix("DBT_").lower().replace("_", "-") in out for name in variables)


def test_an_error_of_dbt_over_several_lines_stays_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    assert main(["build", "--sample", "yesterday"]) == build.DBT_CANNOT_RUN
    assert "Runtime Error\n  Cannot load SAMPLE_WINDOW" in capsys.readouterr().out


def test_a_folder_that_dbt_cannot_write_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As in a project folder that is read-only. Here a file is where the folder would be."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    (tmp_path / "file").touch()
    monkeypatch.setenv("DBT_LOG_PATH", str(tmp_path / "file"))
    assert main(["build", "-s", "no_model"]) == build.DBT_CANNOT_RUN
    out, err = capfd.readouterr()
    assert out.startswith(f"dbt cannot use {tmp_path}/file")
    assert "): correct that, or set DBT_LOG_PATH and DBT_TARGET_PATH to folders" in out
    assert "Traceback" not in out + err


def test_a_full_disk_under_the_files_of_dbt_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The error of Python names no file then. /dev/full is such a disk."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "manifest.json").symlink_to("/dev/full")
    monkeypatch.setenv("DBT_TARGET_PATH", str(tmp_path / "target"))
    monkeypatch.setenv("DBT_LOG_PATH", str(tmp_path / "logs"))
    assert main(["build", "-s", "no_model"]) == build.DBT_CANNOT_RUN
    out, err = capfd.readouterr()
    assert out.startswith("dbt cannot write its files (No space left on device): correct that, or")
    assert "Traceback" not in out + err


@pytest.mark.parametrize("options", [[], ["--log-level", "info"]])
def test_a_log_file_that_cannot_be_written_is_told_in_a_sentence(
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As on a full disk, of which /dev/full is one. Python would print a trace for each line of it."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "dbt.log").symlink_to("/dev/full")
    monkeypatch.setenv("DBT_LOG_PATH", str(tmp_path / "logs"))
    assert main(["build", "--profile", "of_nobody", *options]) == build.DBT_CANNOT_RUN
    out, err = capfd.readouterr()
    assert "Could not find profile named 'of_nobody'" in out
    assert err == (
        f"dbt's log file {tmp_path}/logs/dbt.log lacks lines (No space left on device): make room on its "
        "disk, or set DBT_LOG_PATH to a folder on another one.\n"
    )


@pytest.mark.parametrize(
    ("folder", "options", "variables"),
    [
        (PROJECT / "models", [], {}),
        (Path("/"), ["--project-dir", str(PROJECT)], {}),
        (Path("/"), [f"--project-dir={PROJECT}"], {}),
        (Path("/"), [], {"DBT_PROJECT_DIR": str(PROJECT)}),
    ],
)
def test_the_profiles_are_those_of_the_project_that_dbt_finds(
    folder: Path,
    options: list[str],
    variables: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []

    def invoke(_runner: dbtRunner, arguments: list[str]) -> dbtRunnerResult:
        given.extend(arguments)
        return dbtRunnerResult(success=True)

    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    monkeypatch.setattr(dbtRunner, "invoke", invoke)
    assert main(["build", "--full-refresh", *options]) == 0
    assert Path(given[given.index("--profiles-dir") + 1]) == PROJECT / "profiles"


def test_a_user_without_a_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    assert main(["build"]) == 0


def test_nothing_is_new_in_a_folder_of_the_project_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT / "models")
    assert main(["build"]) == 0


def test_dbt_writes_its_log_file_beside_the_progress(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the stack of an error, which is not shown. dbt's own variable may ask for less."""
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    monkeypatch.setenv("DBT_LOG_PATH", str(tmp_path))
    log = tmp_path / "dbt.log"
    assert main(["build", "--profile", "of_nobody"]) == build.DBT_CANNOT_RUN
    assert "of_nobody" in capsys.readouterr().out
    written = log.read_text()
    assert "[debug]" in written
    assert "of_nobody" in written
    monkeypatch.setenv("DBT_LOG_LEVEL_FILE", "none")
    assert main(["build", "--profile", "of_nobody"]) == build.DBT_CANNOT_RUN
    assert log.read_text() == written


@pytest.mark.parametrize("has_published", [False, True])
def test_an_interrupted_build_says_what_it_published(
    small: SmallWarehouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    has_published: bool,
) -> None:
    def interrupted(_runner: dbtRunner, _arguments: list[str]) -> dbtRunnerResult:
        if has_published:
            small.publish({})
        return dbtRunnerResult(success=False, exception=KeyboardInterrupt())

    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    monkeypatch.setattr(dbtRunner, "invoke", interrupted)
    assert main(["build", "--full-refresh"]) == 130
    what = "had published already" if has_published else "published nothing"
    said = capsys.readouterr().out
    assert said.endswith(f"\nscuttlehouse: the build was interrupted, and {what}.\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("option", ["--quiet", "-fq", "--log-format=json"])
def test_an_interrupted_build_says_so_beside_the_output_of_dbt(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    number: signal.Signals,
    code: int,
) -> None:
    """dbt tells the interrupt as an error that it did not expect, and ends with 2."""

    def ended(*_: object, **__: object) -> None:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        sys.exit(2)

    monkeypatch.setattr("dbt.cli.main.cli", ended)
    # A signal that is ignored, as in the background of a shell, stays so.
    before = signal.signal(number, signal.default_int_handler)
    try:
        assert main(["build", option]) == code
    finally:
        signal.signal(number, before)
    said = capsys.readouterr()
    assert said.err.endswith("\nscuttlehouse: the build was interrupted, and published nothing.\n")
    assert "interrupted" not in said.out


@pytest.mark.parametrize("options", [[], ["--verify"]])
def test_a_build_that_is_interrupted_before_dbt_begins_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    """Reading all logs may take long."""

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "_verify", interrupted)
    monkeypatch.setattr(build, "_nothing_is_new", interrupted)
    assert main(["build", *options]) == 130
    said = capsys.readouterr().out
    assert said.endswith("\nscuttlehouse: the build was interrupted, and published nothing.\n")


@pytest.mark.parametrize("code", [1, 2])
def test_a_build_that_fails_was_not_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    """dbt ends with 1 if steps failed, and with 2 if it could not begin."""

    def failed(_runner: dbtRunner, _arguments: list[str]) -> dbtRunnerResult:
        return dbtRunnerResult(success=False, exception=RuntimeError("lost") if code == 2 else None)

    monkeypatch.setattr("dbt.cli.main.cli", lambda *_, **__: sys.exit(code))
    monkeypatch.setattr(dbtRunner, "invoke", failed)
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    assert main(["build", "--quiet"]) == code
    assert main(["build", "--full-refresh"]) == code
    said = capsys.readouterr()
    assert "interrupted" not in said.out + said.err
    assert ("lost" in said.out) == (code == 2)


def test_a_build_begins_with_the_time_of_the_last_one_of_its_kind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def last(_home: Path, _project: Path, *, is_full_refresh: bool) -> LastBuild:
        return LastBuild(151.0 if is_full_refresh else None, {})

    monkeypatch.setattr("scuttlehouse.builds.progress.last_build", last)
    monkeypatch.setattr(dbtRunner, "invoke", lambda *_: dbtRunnerResult(success=True))
    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    assert main(["build", "-s", "fct_numbers"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["build", "--full-refresh"]) == 0
    said = "scuttlehouse: the last whole build of this kind took 2 min 31 s.\n"
    assert capsys.readouterr().out == said


def test_what_fails_after_an_interrupt_is_not_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`timeout` and systemd send SIGTERM to Java, too: dbt then reports its steps and not the signal."""

    def failing(runner: dbtRunner, _arguments: list[str]) -> dbtRunnerResult:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        for say in runner.callbacks:
            say(SimpleNamespace(info=SimpleNamespace(name="X", level="error", msg="Java is gone")))
        return dbtRunnerResult(success=False, exception=RuntimeError("Java is gone"))

    monkeypatch.setattr(build, "_build_with_progress", build_with_progress)
    monkeypatch.setattr(dbtRunner, "invoke", failing)
    assert main(["build", "--full-refresh"]) == 143
    said = capsys.readouterr().out
    assert said.endswith("\nscuttlehouse: the build was interrupted, and published nothing.\n")
    assert "Java is gone" not in said


@pytest.mark.parametrize("suite", ["python", "connect", "trino"])
def test_no_test_writes_where_a_setting_of_a_person_leads(suite: str) -> None:
    """Their dashboards had the tables of the tests, after `make test` where the variable was set."""
    with patch.dict(os.environ, {"SCUTTLEHOUSE_SERVING": "postgresql://host/bi"}):
        run_path(str(PROJECT / "tests" / suite / "conftest.py"))
        assert "SCUTTLEHOUSE_SERVING" not in os.environ
