"""The checksums beside files, in the form of Hadoop's local file system."""

from __future__ import annotations

import errno
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.catalog.checksums import is_whole, sidecar, verify, write
from scuttlehouse.catalog.names import CatalogError, UnusableError


def damaged(file: Path) -> str:
    with pytest.raises(UnusableError) as raised:
        verify(file)
    return str(raised.value)


@given(st.binary(min_size=1, max_size=1600), st.data())
def test_any_flipped_bit_is_found(content: bytes, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "file.parquet")
        file.write_bytes(content)
        verify(file)
        write(file)
        verify(file)
        place = data.draw(st.sampled_from([file, sidecar(file)]))
        changed = bytearray(place.read_bytes())
        # Bytes 4 to 7 hold the size of a chunk. With only one checksum, the size does not matter.
        places = [*range(len(changed))] if place == file else [*range(4), *range(8, len(changed))]
        changed[data.draw(st.sampled_from(places))] ^= 1 << data.draw(st.integers(0, 7))
        place.write_bytes(changed)
        assert damaged(file) == f"The file {file} is damaged: it does not match its checksums."


@pytest.mark.parametrize("change", [b"", b"a", b"ab", b"abcd", b"abc" * 1000])
def test_a_file_of_another_length_is_found(tmp_path: Path, change: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    write(file)
    file.write_bytes(change)
    assert "it does not match its checksums" in damaged(file)
    file.write_bytes(b"abc")
    sidecar(file).write_bytes(change)
    assert "it does not match its checksums" in damaged(file)


def test_a_file_that_cannot_be_read_or_described_is_reported(tmp_path: Path) -> None:
    assert damaged(tmp_path / "none") == f"The file {tmp_path}/none is missing."
    assert damaged(tmp_path) == f"The file {tmp_path} cannot be read: Is a directory."
    (tmp_path / ".file.crc").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(
        CatalogError, match=rf"^{re.escape(str(tmp_path))}/\.file\.crc cannot be written: "
    ):
        write(tmp_path / "file")


def test_a_file_that_this_process_may_not_open_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a build by root: a full refresh would drop the log of runs for damage."""

    def refuse(_: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    for ask in verify, is_whole:
        with pytest.raises(CatalogError) as raised:
            ask(file)
        assert not isinstance(raised.value, UnusableError)
        assert str(raised.value) == (
            f"The file {file} cannot be read: Permission denied. Correct that, and try again."
        )


def test_checksums_are_for_the_owner_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    sidecar(tmp_path / "file").touch(0o644)
    write(tmp_path / "file")
    assert sidecar(tmp_path / "file").stat().st_mode & 0o777 == 0o600
