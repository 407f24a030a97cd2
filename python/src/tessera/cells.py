"""Cells of a notebook by the number that the reader sees.

    source_file="/tmp/ipykernel_17/2873.py" source_line=6   ->   source_file="In [2]" source_line=6

IPython compiles a cell under a name of its own and knows which one it was; it remembers the lines of every cell in linecache.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any


def named(text: str) -> str:
    """HLO text with `In [2]` in place of files that are cells; as it is where no IPython runs."""
    for file, cell in _cells().items():
        text = text.replace(f'"{file}"', f'"{cell}"')
    return text


def _cells() -> dict[str, str]:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    if name_of is None:
        return {}
    return {file: _prompt(found) for file in list(linecache.cache) if (found := name_of(file)) is not None}


# ("Cell", "In[2]") -> "In [2]", as it stands beside the cell.
def _prompt(name: tuple[Any, Any]) -> str:
    return str(name[1]).replace("In[", "In [")
