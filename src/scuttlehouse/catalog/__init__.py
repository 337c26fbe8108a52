"""The catalog of the warehouse: which tables are published, which builds are kept, which build is running."""

from scuttlehouse.catalog.home import home_folder, prepare_home, temporary_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import (
    BASE,
    CATALOG,
    LOG,
    MAIN,
    PUBLISHED,
    WORK,
    CatalogError,
    NothingPublishedError,
    Schemas,
    namespace_of_build,
    schemas_of,
)
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.records import Build, Work

__all__ = [
    "BASE",
    "CATALOG",
    "LOG",
    "MAIN",
    "PUBLISHED",
    "WORK",
    "Build",
    "BuildLock",
    "Catalog",
    "CatalogError",
    "NothingPublishedError",
    "Schemas",
    "Work",
    "home_folder",
    "namespace_of_build",
    "open_catalog",
    "prepare_home",
    "schemas_of",
    "temporary_folder",
]
