"""Download one jar from a Maven repository, with the tools of this machine and the mirrors of this user.

Both functions put the jar into the folder `into` as `artifact-version.jar`, among other files. The folder is
for one call only. They return None if that worked, otherwise the reason in a few words.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
# Lines in which Maven and Ivy say why a download failed. The clearest line comes first.
REASONS = (
    r"\[ERROR\] (.*?)(?: -> \[Help|$)",
    r"(Server access error .*)",
    r"(Host .* not found)",
    r"(module not found: .*)",
    r"(\S.*)",
)


def by_maven(coordinates: str, into: Path) -> str | None:
    """Download with `mvn`, which reads ~/.m2/settings.xml and keeps a copy in its own repository."""
    if (maven := shutil.which("mvn")) is None:
        return "there is no `mvn` on the PATH"
    what = (COPY, f"-Dartifact={coordinates}", "-DoutputDirectory=.")
    return _run(into, maven, "--batch-mode", "--quiet", "--update-snapshots", *what)


def by_ivy(coordinates: str, into: Path) -> str | None:
    """Download with the Ivy that comes with pyspark, which needs only Java.

    It reads ~/.ivy2/ivysettings.xml. If that is missing, it asks Maven Central, or the mirror of it in
    ~/.m2/settings.xml. It leaves nothing outside of `into`.
    """
    home = os.environ.get("JAVA_HOME")
    if (java := shutil.which("java", path=f"{home}/bin" if home else None)) is None:
        return f"JAVA_HOME ({home}) has no bin/java" if home else "there is no `java` on the PATH"
    pyspark = find_spec("pyspark")
    assert pyspark is not None, "a dependency of this package"
    assert pyspark.origin is not None, "a package with files"
    ivy = next(Path(pyspark.origin).parent.glob("jars/ivy-*.jar"))
    settings = Path.home() / ".ivy2" / "ivysettings.xml"
    if not settings.exists():
        maven_settings = Path.home() / ".m2" / "settings.xml"
        try:
            mirror = mirror_of_central(maven_settings) if maven_settings.exists() else None
        except ElementTree.ParseError as error:
            return f"{maven_settings} is not XML ({error})"
        settings = into / "ivysettings.xml"
        settings.write_text(_ivy_settings(mirror), "utf-8")
    # The names are relative to `into`, because brackets in a full path would have a meaning in a pattern.
    where = ("-settings", str(settings), "-cache", "cache", "-notransitive", "-confs", "default")
    what = ("-dependency", *coordinates.split(":"), "-retrieve", "[artifact]-[revision].[ext]")
    return _run(into, java, "-cp", str(ivy), "org.apache.ivy.Main", "-warn", *where, *what)


def mirror_of_central(settings: Path) -> str | None:
    """The address of the first mirror of Maven Central in Maven's settings."""
    for mirror in ElementTree.parse(settings).iterfind("{*}mirrors/{*}mirror"):
        of = mirror.findtext("{*}mirrorOf", "").replace(" ", "").split(",")
        if "!central" not in of and not {"central", "*", "external:*"}.isdisjoint(of):
            return mirror.findtext("{*}url", "").strip()
    return None


def _ivy_settings(mirror: str | None) -> str:
    root = f"root={quoteattr(mirror)} " if mirror else ""
    return (
        '<ivysettings><settings defaultResolver="central"/><resolvers><ibiblio name="central"'
        f' {root}m2compatible="true" usepoms="false" useMavenMetadata="false"/></resolvers></ivysettings>'
    )


def _run(folder: Path, *command: str) -> str | None:
    pipe = subprocess.PIPE
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, check=False
        )
    except OSError as error:
        return f"{command[0]} does not start ({error.strerror})"
    if done.returncode == 0:
        return None
    output = (done.stdout + done.stderr).decode(errors="replace")
    lines = (re.search(pattern, output, re.MULTILINE) for pattern in REASONS)
    return next((line[1] for line in lines if line), f"it ended with {done.returncode}")
