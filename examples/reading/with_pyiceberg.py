"""How many members each group has, from two published tables that pyiceberg reads.

pip install 'pyiceberg[sql-sqlite,pyarrow]==0.12.0'
"""

import os
import sys
from pathlib import Path

import pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog

home = Path(os.environ.get("SCUTTLEHOUSE_HOME") or ".scuttlehouse").resolve()
namespace = sys.argv[1] if len(sys.argv) > 1 else "scuttlehouse"

# The name is part of the rows of the catalog: it is `warehouse`.
catalog = SqlCatalog("warehouse", uri=f"sqlite:///{home}/catalog.db")

groups = catalog.load_table(f"{namespace}.dim_groups").scan(
    row_filter="preferred_epoch_id is not null",
    selected_fields=("group_id", "preferred_epoch_id", "protocol"),
)
members = catalog.load_table(f"{namespace}.fct_epoch_members").scan(
    row_filter="is_declared = true", selected_fields=("epoch_id", "person_id", "is_still_excluded")
)
joined = groups.to_arrow().join(
    members.to_arrow(), "preferred_epoch_id", "epoch_id", join_type="inner"
)
# In a group before epochs, no epoch can follow an exclusion.
is_member = (pc.field("protocol") == "epochs") | ~pc.field("is_still_excluded")
counted = joined.filter(is_member).group_by("group_id").aggregate([("person_id", "count")])
order = [("person_id_count", "descending"), ("group_id", "ascending")]
for row in counted.sort_by(order).to_pylist():
    print(row["group_id"], row["person_id_count"])
