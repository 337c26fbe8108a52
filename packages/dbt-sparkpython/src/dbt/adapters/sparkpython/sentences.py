"""One sentence about an error of Spark, without pages of Java."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

SPARK_ERRORS = (PySparkException, Py4JError)


def is_spark_error(error: BaseException) -> bool:
    """Whether Spark, or the way to its Java process, has raised an error."""
    return isinstance(error, SPARK_ERRORS) or _is_java_gone(error)


def _is_java_gone(error: BaseException) -> bool:
    """Py4J loses its connection to Java, or is refused a new one. Or a call has no answer."""
    if isinstance(error, ConnectionError):
        stack = traceback.extract_tb(error.__traceback__)
        return any("py4j" in Path(frame.filename).parts for frame in stack)
    is_unanswered = re.fullmatch(r"An error occurred while calling \S+", str(error)) is not None
    return isinstance(error, Py4JNetworkError) or (isinstance(error, Py4JError) and is_unanswered)


def spark_sentence(error: BaseException, sql: str = "") -> str:
    """The first useful sentence of a Spark error, with its class and its place in `sql`."""
    if _is_java_gone(error):
        return (
            "Spark's Java process has ended unexpectedly (it may have run out of memory, or was"
            " killed); its last words are in spark.log beside dbt's own log."
        )
    text = full_text(error)
    sentence = first_sentence(error, text)
    cause = root_cause(text)
    if cause and cause not in sentence:
        sentence = f"{sentence.removesuffix('.')}. The cause: {cause}"
    if "java.lang.OutOfMemoryError" in text:
        sentence = (
            f"{sentence.removesuffix('.')}. Give Spark more memory: spark.driver.memory "
            "in the profile."
        )
    return "\n".join([sentence, *place_in_sql(error, text, sql)])


def full_text(error: BaseException) -> str:
    """The whole text of the error, including the Java stack."""
    return f"{error}\n{getattr(error, '_stackTrace', None) or ''}"


def first_sentence(error: BaseException, text: str) -> str:
    if isinstance(error, PySparkException) and error.getCondition():
        text = error.getMessage()
    sentence = re.sub(r"^An error occurred while calling \S+\s*:?\s*", "", text.strip())
    sentence = re.split(r"\n\s+at |\n\s*\n|\n== SQL|\n['+]|; line \d+ pos \d+;|;\n", sentence)[0]
    sentence = re.sub(r" \(line \d+, pos \d+\)$", "", sentence)
    return re.sub(r"^(?:[a-z]\w*\.)+(?:Spark\w*: )?(?=\S)", "", sentence).strip()


def root_cause(text: str) -> str | None:
    """The message of the innermost `Caused by:` in a Java stack."""
    causes: list[str] = re.findall(r"^Caused by: (.*)$", text, re.MULTILINE)
    return re.sub(r"^(?:[a-z]\w*\.)+(?=[A-Z])", "", causes[-1]).strip() if causes else None


def place_in_sql(error: BaseException, text: str, sql: str) -> list[str]:
    """The line of the statement with the error, with marks below it, if Spark knows it."""
    text = _context_summary(error) or text
    where = re.search(r"(SQL of \w+ \S+ )?\(line (\d+), pos(?:ition)? (\d+)\)", text)
    marked = re.search(r"^(.*)\n([ -]*\^+)\s*$", text, re.MULTILINE)
    lines = sql.splitlines()
    # A text of the data may have such words, too, about something else.
    if where is None or not (marked or int(where[2]) <= len(lines)):
        return []
    if marked:
        line, marks = marked[1], marked[2].replace("-", " ")
    else:  # Spark leaves the SQL out of some messages, for example below a comment with braces.
        line, marks = lines[int(where[2]) - 1], " " * int(where[3]) + "^"
    return [
        f"{where[1] or 'SQL '}(line {where[2]}, position {marks.index('^') + 1}):",
        f"    {line}",
        f"    {marks}",
    ]


def _context_summary(error: BaseException) -> str | None:
    try:
        contexts = error.getQueryContext() if isinstance(error, PySparkException) else []
        return str(contexts[0].summary()) if contexts else None
    except PySparkException:  # A context in Python code has no such summary.
        return None
