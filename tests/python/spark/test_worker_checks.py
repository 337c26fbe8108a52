"""What keeps a worker of a cluster from its work, and the archive that brings it this package."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from other_users import as_another_user, let_through, needs_root
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.spark import cluster, worker_checks
from scuttlehouse.spark.worker_checks import Needed, fingerprint, problem_of_worker
from scuttlehouse.warehouse_key import PEPPER_FILE, warehouse_pepper


@pytest.fixture
def needed(tmp_path: Path) -> Needed:
    """What this machine has."""
    home, landing = tmp_path / "home", tmp_path / "landing"
    home.mkdir()
    landing.mkdir()
    key = fingerprint(warehouse_pepper(home))
    return Needed(str(home), str(home / "warehouse"), str(landing), key)


def test_a_worker_that_has_everything(needed: Needed) -> None:
    assert problem_of_worker(needed) is None


def test_a_worker_that_lacks_something(
    needed: Needed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert "landing folder" in str(problem_of_worker(needed._replace(landing=nowhere)))
    assert "cannot write to the home" in str(problem_of_worker(needed._replace(home=nowhere)))
    in_s3 = needed._replace(home=nowhere, warehouse="s3://bucket/house")
    assert "key of the warehouse" in str(problem_of_worker(in_s3))
    assert not Path(nowhere).exists(), "it makes no key"
    other = needed._replace(key=fingerprint(bytes(32)))
    assert "key of the warehouse" in str(problem_of_worker(other))
    key = warehouse_pepper(Path(needed.home)).hex()
    monkeypatch.setenv("SCUTTLEHOUSE_KEY", key)
    assert problem_of_worker(in_s3) is None
    monkeypatch.setenv("SCUTTLEHOUSE_KEY", "no key")
    said = str(problem_of_worker(in_s3))
    assert "no key" not in said
    monkeypatch.setitem(worker_checks.REQUIREMENTS, "no_such_module", "no-such-package")
    assert "-m pip install no-such-package" in str(problem_of_worker(needed))


@needs_root
def test_a_worker_of_another_user_may_not_look_into_the_folders(needed: Needed) -> None:
    """They are for their owner alone."""
    Path(needed.landing).chmod(0o700)
    with as_another_user():
        assert "landing folder" in str(problem_of_worker(needed))
    in_s3 = needed._replace(landing="/", warehouse="s3://bucket/house")
    with as_another_user():
        assert "key of the warehouse" in str(problem_of_worker(in_s3))


def test_a_home_without_a_key_gets_none(needed: Needed) -> None:
    (Path(needed.home) / PEPPER_FILE).unlink()
    assert "key of the warehouse" in str(problem_of_worker(needed))
    assert not (Path(needed.home) / PEPPER_FILE).exists()


def test_the_archive_needs_no_package_to_check_a_worker(tmp_path: Path) -> None:
    archive = cluster.package_archive(tmp_path)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import scuttlehouse.spark.worker_checks as w; "
        "print(w.__file__); print(w.problem_of_worker(w.Needed('/', '/w', '/', '')))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(archive)],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    where, said = done.stdout.splitlines()
    assert where.startswith(f"{archive}/")
    assert said.startswith("lacks Python packages: run `")
    assert "pyarrow" in said


def test_the_secret_of_a_cluster_is_in_a_file_that_only_the_user_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    monkeypatch.setenv("SCUTTLEHOUSE_SPARK_SECRET_FILE", str(tmp_path / "named"))
    for content, wrong in ((None, "is no file"), (b" \n", "is empty"), (b"\xff", "is no text")):
        if content is not None:
            (tmp_path / "named").write_bytes(content)
        with pytest.raises(
            CatalogError, match=f"/named, which {wrong}: name the file with the secret"
        ):
            cluster._secret(tmp_path)
    (tmp_path / "named").write_text("hu\\sh\n")
    settings = cluster._secret(tmp_path)
    assert settings == {"spark.authenticate": "true"}
    [option, named, *_, last] = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert (option, last) == ("--properties-file", "pyspark-shell")
    file = Path(named)
    assert file.read_text() == "spark.authenticate.secret hu\\\\sh\n", "as Java reads properties"
    assert file.stat().st_mode & 0o777 == 0o600


@needs_root
def test_the_secret_of_a_cluster_that_this_user_may_not_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "secret").write_text("hush")
    let_through(closed)
    for folder, file in ((0o700, 0o644), (0o755, 0o600)):
        closed.chmod(folder)
        (closed / "secret").chmod(file)
        monkeypatch.setenv("SCUTTLEHOUSE_SPARK_SECRET_FILE", str(closed / "secret"))
        with as_another_user(), pytest.raises(CatalogError, match=r"cannot be read \(Permission"):
            cluster.secret_of_cluster()


@pytest.mark.parametrize(
    "named", ["s3://ab/house", "s3a://bucket/house", "s3://bucket/a b", "/srv"]
)
def test_only_folders_of_s3_are_named(named: str) -> None:
    with pytest.raises(CatalogError, match="set it to s3://bucket/folder"):
        warehouse_location(Path("/home"), {"SCUTTLEHOUSE_WAREHOUSE": named})
