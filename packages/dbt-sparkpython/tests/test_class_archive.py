"""The archive of Spark's classes: Java is told to use it only if it is there."""

import os
import subprocess
from pathlib import Path

import pytest

from dbt.adapters.sparkpython import java


def test_java_is_told_of_an_existing_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "spark-classes.jsa"
    monkeypatch.setattr(java, "ARCHIVE", archive)
    assert java.archive_options() == []
    archive.touch()
    assert java.archive_options() == [f"-XX:SharedArchiveFile={archive}"]


def test_java_ignores_a_file_that_is_not_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "spark-classes.jsa"
    archive.write_bytes(b"of another Java")
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else "java"
    done = subprocess.run([program, f"-XX:SharedArchiveFile={archive}", "-version"], check=False)
    assert done.returncode == 0
