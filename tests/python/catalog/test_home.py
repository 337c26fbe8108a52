"""The home: which folders can be a home, and the folders of processes in it."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from other_users import NOBODY, NOGROUP, as_another_user, needs_root
from scuttlehouse.catalog.home import home_folder, prepare_home, temporary_folder
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.opening import open_catalog

TAKE_FOLDER = """
import sys
from pathlib import Path
from scuttlehouse.catalog.home import temporary_folder
print(temporary_folder(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("unset", [None, "", " "])
def test_the_home_is_in_the_project_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unset: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {} if unset is None else {"SCUTTLEHOUSE_HOME": unset}
    assert home_folder(environment) == tmp_path / ".scuttlehouse"


def test_the_home_is_a_path_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to("disk")
    monkeypatch.chdir(tmp_path)
    for name in "disk/home", "./link/home", "link/../disk/home", f"{tmp_path}/link/home/":
        assert home_folder({"SCUTTLEHOUSE_HOME": name}) == tmp_path / "disk" / "home"


@pytest.mark.parametrize(
    "name", ["a b", "a;b", "a:b", "a'b", "$HOME", "~", "(a)&b|c", "a.db", "é", "名"]
)
def test_odd_names_that_work(tmp_path: Path, name: str) -> None:
    home = home_folder({"SCUTTLEHOUSE_HOME": str(tmp_path / name)})
    assert home == tmp_path / name
    prepare_home(home)


@pytest.mark.parametrize(
    "name", [*'?*[]{},#%"\\', "\n", "\t", "\x7f", "\u202e", os.fsdecode(b"\xff")]
)
def test_names_that_do_not_work_are_reported(tmp_path: Path, name: str) -> None:
    for path in tmp_path / f"a{name}b", tmp_path / f"a{name}b" / "home":
        with pytest.raises(CatalogError) as raised:
            home_folder({"SCUTTLEHOUSE_HOME": str(path)})
        assert str(raised.value) == (
            f"SCUTTLEHOUSE_HOME is {str(path)!r}: name a folder whose whole path has none of "
            '? * [ ] { } , # % " \\ and no line breaks or other control characters.'
        )


@pytest.mark.parametrize("name", ["/", "//", "/tmp/.."])
def test_the_root_of_the_disk_is_not_a_home(name: str) -> None:
    with pytest.raises(CatalogError, match="is the root of the disk: name a folder of its own"):
        home_folder({"SCUTTLEHOUSE_HOME": name})


def test_a_folder_that_all_users_share_is_no_home(tmp_path: Path) -> None:
    """As /tmp. Closed, nobody else could use it."""
    shared = shared_folder(tmp_path)
    with pytest.raises(CatalogError, match="all users share"):
        prepare_home(shared)
    assert shared.stat().st_mode & 0o7777 == 0o1777
    prepare_home(shared / "house")


@needs_root
@pytest.mark.parametrize("name", ["house", "above/house", "new/../above/house"])
@pytest.mark.parametrize("mode", [0o1777, 0o777])
def test_a_folder_of_others_among_shared_ones_is_no_home(
    tmp_path: Path, name: str, mode: int
) -> None:
    """Its owner opens it again, and may put a key of their own into it."""
    shared = shared_folder(tmp_path)
    shared.chmod(mode)
    (shared / "new").mkdir()
    for folder in "house", "above":
        (shared / folder).mkdir()
        (shared / folder).chmod(0o777)
        os.chown(shared / folder, NOBODY, NOGROUP)
    home = home_folder({"SCUTTLEHOUSE_HOME": str(shared / name)})
    with pytest.raises(CatalogError, match=r"belongs to another user, and .* that all users share"):
        prepare_home(home)
    assert stat.S_IMODE((shared / "house").stat().st_mode) == 0o777
    os.chown(shared / "house", 0, 0)
    prepare_home(shared / "house")


@needs_root
@pytest.mark.parametrize("name", ["link", "link/house", "own", "own/../link"])
def test_a_link_of_others_leads_to_no_home(tmp_path: Path, name: str) -> None:
    """It may lead to a folder that the build then closes, or fills."""
    shared = shared_folder(tmp_path)
    (tmp_path / "disk").mkdir()
    (shared / "link").symlink_to(tmp_path / "disk")
    (tmp_path / "own").symlink_to(shared / "link")
    (shared / "own").symlink_to(tmp_path / "own")
    assert home_folder({"SCUTTLEHOUSE_HOME": str(shared / name)}).is_relative_to(tmp_path)
    os.lchown(shared / "link", NOBODY, NOGROUP)
    with pytest.raises(CatalogError, match=f"{shared / 'link'} belongs to another user"):
        home_folder({"SCUTTLEHOUSE_HOME": str(shared / name)})


def shared_folder(path: Path) -> Path:
    """A folder as /tmp: all users may write there, and none may remove what others have put there."""
    shared = path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    return shared


def test_a_home_is_closed_to_others(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    before = os.umask(0)
    try:
        prepare_home(home)
        assert home.stat().st_mode & 0o777 == 0o700
        home.chmod(0o755)
        prepare_home(home)
    finally:
        os.umask(before)
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["file", "file/home", "circle"])
def test_a_home_must_be_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    home = home_folder({"SCUTTLEHOUSE_HOME": str(tmp_path / name)})
    with pytest.raises(
        CatalogError, match=rf"^The home {home} is not a folder that can be written \("
    ):
        prepare_home(home)


@needs_root
def test_a_home_in_a_folder_of_others_is_told(tmp_path: Path) -> None:
    """This user may not even see whether it is a link."""
    (tmp_path / "closed").mkdir(mode=0o700)
    with as_another_user():
        home = home_folder({"SCUTTLEHOUSE_HOME": str(tmp_path / "closed" / "home")})
        with (
            pytest.raises(CatalogError, match=r"cannot be opened \(Permission denied\)"),
            open_catalog(home, read_only=True),
        ):
            pass
        with pytest.raises(CatalogError, match=r"folder that can be written \(Permission denied\)"):
            prepare_home(home)


@pytest.mark.parametrize("name", ["metastore", "published.json"])
def test_a_warehouse_of_an_earlier_version_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / "warehouse").mkdir()
    (tmp_path / "warehouse" / "a.parquet").touch()
    refused = (
        f"{tmp_path} holds a warehouse of an earlier version ({name}): set SCUTTLEHOUSE_HOME to a new "
        "folder, or move this one away, and build, which reads all logs again: first put back those that you "
        "moved to an archive."
    )
    with pytest.raises(CatalogError) as raised:
        prepare_home(tmp_path)
    assert str(raised.value) == refused
    with pytest.raises(CatalogError) as raised, open_catalog(tmp_path, read_only=True):
        pass
    assert str(raised.value) == refused
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "warehouse"]


def take_folder(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TAKE_FOLDER, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_process_has_its_own_folder_until_it_ends(tmp_path: Path) -> None:
    own = temporary_folder(tmp_path)
    (own / "shuffle").mkdir()
    (own / "shuffle" / "file").touch()
    assert temporary_folder(tmp_path) == own
    with take_folder(tmp_path) as first, take_folder(tmp_path) as second:
        assert first.stdout
        assert second.stdout
        folders = [Path(process.stdout.readline().strip()) for process in (first, second)]
        assert len({own, *folders}) == 3
        for folder in own, *folders:
            assert folder.parent == tmp_path / "temporary"
            assert folder.stat().st_mode & 0o777 == 0o700
            (folder / "data").touch()
        assert folders[0].parent.stat().st_mode & 0o777 == 0o700
        first.send_signal(signal.SIGKILL)
        first.wait()
        with take_folder(tmp_path) as third:
            assert third.stdout
            taken = Path(third.stdout.readline().strip())
            assert set(taken.parent.iterdir()) == {own, folders[1], taken}
            third.communicate()
        second.communicate()
    assert (own / "shuffle" / "file").exists()
    shutil.rmtree(own)
    assert temporary_folder(tmp_path) != own
    assert set(own.parent.iterdir()) == {temporary_folder(tmp_path)}


def test_files_of_others_beside_the_folders_stay(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary" / ".DS_Store").write_text("")
    own = temporary_folder(tmp_path)
    assert {path.name for path in own.parent.iterdir()} == {own.name, ".DS_Store"}


def test_an_unusable_temporary_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "temporary").touch()
    with pytest.raises(
        CatalogError, match=r"/temporary cannot be used \(\w.*\): make room, let this"
    ):
        temporary_folder(tmp_path)
