"""How many bytes of the logs a build has read so far.

The tasks that read write it down, in files of the process that builds: a build shows its progress with it,
and nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from scuttlehouse.files.parts import Split

# For each model that reads logs in this process: the file of its tasks, and the bytes that they will read.
_models: dict[str, tuple[Path, int]] = {}


def begin_reading(folder: Path, model: str, splits: Sequence[Split], passes: int = 1) -> Path:
    """The file in which the tasks of a model write down what they have read.

    Args:
        folder: a folder of this process.
        splits: what the tasks read.
        passes: how often they read it.
    """
    file = folder / f"read_by_{model}"
    with suppress(OSError):
        file.unlink(missing_ok=True)
        file.touch(mode=0o600)
    _models[model] = file, passes * sum(split.end - split.start for split in splits)
    return file


def counted(batches: Iterable[pa.RecordBatch], file: Path) -> Iterator[pa.RecordBatch]:
    """Batches of ``splits_frame``, in a task: when one has been read, its bytes are added to the file.

    A disk that is full or out of reach is no error.
    """
    for batch in batches:
        yield batch
        read = sum(row["end"] - row["start"] for row in batch.to_pylist())
        # A line as short as this is written as a whole, whoever else writes.
        with suppress(OSError), file.open("ab", buffering=0) as out:
            out.write(f"{read}\n".encode())


def bytes_read() -> tuple[int, int]:
    """The bytes that the tasks have read, and all that they will read; what is read twice counts twice.

    Complexity: linear in the splits that were read.
    """
    read = 0
    for file, _ in _models.values():
        with suppress(OSError, ValueError):
            read += sum(map(int, file.read_text().split()))
    return read, sum(total for _, total in _models.values())
