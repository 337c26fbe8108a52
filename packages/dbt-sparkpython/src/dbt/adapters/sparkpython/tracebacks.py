"""One sentence about an error in a Python model: the line of the model, and the error."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from importlib.util import find_spec
from pathlib import Path

from dbt.adapters.sparkpython.sentences import full_text, is_spark_error, spark_sentence

Frame = tuple[str, int, str]
"""File, line, function."""


def model_sentence(
    error: BaseException, model_path: str, own_lines: int, packages: list[str]
) -> str:
    """Say which error a Python model raised, and in which line of the model.

    An error whose class has the attribute ``is_sentence`` says all that people need by itself.

    Args:
        error: the error from running the model, or from writing its result.
        model_path: the file name of the compiled model.
        own_lines: how many lines are the model's own. dbt adds lines below them.
        packages: the packages in the model's config.
    """
    if getattr(error, "is_sentence", False):
        return str(error)
    is_spark = is_spark_error(error)
    worker = _worker_traceback(full_text(error)) if is_spark else None
    if worker is not None:
        frames, sentence = worker
        sentence += " (in a Python worker)"
    else:
        stack = traceback.extract_tb(error.__traceback__)
        frames = [(frame.filename, frame.lineno or 0, frame.name) for frame in stack]
        last_words = "".join(traceback.format_exception_only(error)).strip()
        sentence = spark_sentence(error) if is_spark else last_words
    own = [frame for frame in frames if frame[0] == model_path and frame[1] <= own_lines]
    in_model = own or worker is not None
    lines = [f"{'The model' if in_model else 'Writing what the model returned'} raised {sentence}"]
    if in_model:
        place = (own or frames)[-1]
        lines.append(_place(place))
        if frames[-1] != place and "pyspark" not in Path(frames[-1][0]).parts:
            lines.append(f"raised in {frames[-1][0]}, line {frames[-1][1]}")
    missing = re.search(r"No module named '(\w+)", sentence)
    if missing and find_spec(missing[1]) is None:
        lines.append(
            "The environment that runs dbt lacks the package:"
            f" {sys.executable} -m pip install {' '.join(packages) or missing[1]}"
        )
    return "\n".join(lines)


def _place(frame: Frame) -> str:
    file, line, function = frame
    code = linecache.getline(file, line).strip()
    return f"{file}, line {line}, in {function}" + (f": {code}" if code else "")


def _worker_traceback(text: str) -> tuple[list[Frame], str] | None:
    """The frames and the last lines of the last Python traceback in a Java message."""
    _, found, last = text.rpartition("Traceback (most recent call last):\n")
    frames = [
        (file, int(line), function)
        for file, line, function in re.findall(r'^  File "(.+)", line (\d+), in (.+)$', last, re.M)
    ]
    sentence = re.search(r"^[\w.]+(?:: .*)?(?:\n(?!\s+at |\n).+)*", last, re.MULTILINE)
    return (frames, sentence[0].strip()) if found and frames and sentence else None
