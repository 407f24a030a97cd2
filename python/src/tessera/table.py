"""The tensors of a module as a table in a notebook: arguments, results, and behind a fold everything between."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Iterable

if TYPE_CHECKING:
    from tessera.sharded import Sharded
    from tessera.tensor import Tensor

# A notebook stays quick; pandas has all tensors, `notes` all notes.
_MOST_ROWS = 500
_MOST_NOTES = 3
_COLUMNS = ("name", "type", "sharding", "on a device", "bytes", "made by", "line")


def as_html(module: Sharded) -> str:
    """Colours and fonts are the notebook's own."""
    args, results = module.args, module.results
    between = [tensor for tensor in module.tensors if tensor.parameter is None and not tensor.is_result]
    meshes = "; ".join(map(str, module.meshes)) or "no mesh"
    notes = f"<pre>{html.escape(short(module.notes))}</pre>" if module.notes.strip() else ""
    return (f"<p>{len(module)} tensors on {html.escape(meshes)}</p>{notes}" + _fold("arguments", args, True) +
            _fold("results", results, True) + _fold("computed", between, False))


def short(notes: str) -> str:
    """The first lines of what the engine remarked."""
    lines = notes.strip().splitlines()
    more = [f"and {len(lines) - _MOST_NOTES} more lines in t.notes"] if len(lines) > _MOST_NOTES else []
    return "\n".join(lines[:_MOST_NOTES] + more)


def _fold(title: str, tensors: list[Tensor], is_open: bool) -> str:
    if not tensors:
        return ""
    more = len(tensors) - _MOST_ROWS
    rest = f"<p>and {more} more: pandas.DataFrame(t.tensors)</p>" if more > 0 else ""
    return (f"<details{' open' if is_open else ''}><summary>{title}: {len(tensors)}</summary><table><thead>{_row(_COLUMNS, 'th')}"
            f"</thead><tbody>{''.join(_row(_cells(tensor), 'td') for tensor in tensors[:_MOST_ROWS])}</tbody></table>{rest}</details>")


def _cells(tensor: Tensor) -> Iterable[str]:
    local = "[" + ",".join(map(str, tensor.local_shape)) + "]"
    return tensor.name, tensor.type, tensor.spec, local, f"{tensor.bytes_per_device:,}", tensor.op_name, tensor.source


def _row(cells: Iterable[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{html.escape(cell)}</{kind}>' for cell in cells)}</tr>"
