"""A jar that hides Hadoop's defaults for MapReduce and YARN, which nothing here uses.

Hadoop reads them from two files, the first of each name on the class path: those in this jar are empty. So
two thirds of Hadoop's settings are gone, and Iceberg sends the settings with its table for every scan. It is
a jar and no folder, because Java's archive of classes fits a class path of jars only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from zipfile import ZipFile

from scuttlehouse.catalog.jars import jars

JAR = Path(sys.prefix, "share", "scuttlehouse", "no-hadoop-defaults.jar")
_HIDDEN = "mapred-default.xml", "yarn-default.xml"


def hide_defaults() -> None:
    """Write the jar, once per environment. Without it builds give the same tables and take longer."""
    JAR.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(JAR, "w") as jar:
        for name in _HIDDEN:
            jar.writestr(name, "<configuration/>")


def class_path() -> str:
    """The pinned jars for Spark's class path, and the jar if this environment has it.

    Raises:
        CatalogError: as :func:`scuttlehouse.catalog.jars.jars` does.
    """
    return os.pathsep.join(map(str, [*jars(), JAR] if JAR.exists() else jars()))
