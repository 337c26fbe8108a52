"""The functions that `make build` compiles."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from numba.core.registry import CPUDispatcher
from scuttlehouse.machine_code import main
main()
found = [
    one
    for name, module in sys.modules.items()
    if name.startswith(("scuttlehouse.groups.", "scuttlehouse.tangles."))
    or name == "scuttlehouse.timeline.compiled"
    for one in vars(module).values()
    if isinstance(one, CPUDispatcher)
]
print(len(found) > 8, sorted({one.__name__ for one in found if not one.signatures}))
"""


def test_every_compiled_function_is_called() -> None:
    """In a process where nothing else has called them. These modules call the others from Python."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout == "True []\n"
