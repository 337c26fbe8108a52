"""What went wrong, in a sentence: Spark's errors without their pages of Java."""

from __future__ import annotations

import re

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from dbt.adapters.sparkpython.derby import in_use

SPARK_ERRORS = (PySparkException, Py4JError)


def spark_sentence(error: BaseException) -> str:
    """The first useful sentence of a Spark error, with its class and its place in the SQL."""
    if isinstance(error, Py4JNetworkError):
        return (
            "Spark's Java process has ended unexpectedly (it may have run out of memory, or was"
            " killed); its last words are in spark.log beside dbt's own log."
        )
    text = full_text(error)
    derby = re.search(r"XSDB6: Another instance of Derby .* database (\S+?)\.?$", text, re.MULTILINE)
    if derby:
        return in_use(derby[1])
    said = first_sentence(error, text)
    cause = root_cause(text)
    if cause and cause not in said:
        said += f" The cause: {cause}"
    if "java.lang.OutOfMemoryError" in text:
        said += " Give Spark more memory: spark.driver.memory in the profile."
    return "\n".join([said, *place_in_sql(error, text)])


def full_text(error: BaseException) -> str:
    """All that Spark says of the error, Java stack included."""
    return f"{error}\n{getattr(error, '_stackTrace', None) or ''}"


def first_sentence(error: BaseException, text: str) -> str:
    if isinstance(error, PySparkException) and error.getCondition():
        return error.getMessage().strip()
    said = re.sub(r"^An error occurred while calling \S+\s*:?\s*", "", text.strip())
    said = re.split(r"\n\s+at |\nJVM stacktrace:|\n== SQL|\n['+]|\n\n", said)[0]
    return re.sub(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ", "", said).strip()


def root_cause(text: str) -> str | None:
    """What the innermost `Caused by:` of a Java stack says."""
    causes: list[str] = re.findall(r"^Caused by: (.*)$", text, re.MULTILINE)
    return re.sub(r"^(?:[a-z]\w*\.)+(?=[A-Z])", "", causes[-1]).strip() if causes else None


def place_in_sql(error: BaseException, text: str) -> list[str]:
    """The offending line of the statement with marks below it, if Spark knows it."""
    text = _context_summary(error) or text
    at = re.search(r"\(?line (\d+), pos(?:ition)? (\d+)\)?|; line (\d+) pos (\d+);", text)
    marked = re.search(r"^(.*)\n[ -]*(\^+)\s*$", text, re.MULTILINE)
    if at is None or marked is None:
        return []
    line, position = (at[1], at[2]) if at[1] else (at[3], at[4])
    shown = [part.replace("-", " ") if n else part for n, part in enumerate(marked[0].split("\n"))]
    return [f"line {line}, position {position} of the statement:", *shown]


def _context_summary(error: BaseException) -> str | None:
    try:
        contexts = error.getQueryContext() if isinstance(error, PySparkException) else []
        return str(contexts[0].summary()) if contexts else None
    except PySparkException:  # A context that is a place in Python code has no such summary.
        return None
