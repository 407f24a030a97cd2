"""Answers as tables in a notebook: the tensors of a module (arguments, results, and in a fold everything between), and sums of bytes."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Iterable, Mapping, Sequence

if TYPE_CHECKING:
    from tessera.answers import Memory
    from tessera.messages import CommSum
    from tessera.sharded import Sharded
    from tessera.tensor import Tensor
    from tessera.tensors import Tensors

# A notebook stays quick; `to_pandas` has all rows, `notes` all notes.
_MOST_ROWS = 500
_MOST_NOTES = 3
_COLUMNS = ("name", "type", "sharding", "on a device", "bytes", "made by", "line")


def as_html(module: Sharded) -> str:
    """Colours and fonts are the notebook's own."""
    meshes = "; ".join(map(str, module.meshes)) or "no mesh"
    notes = f"<pre>{html.escape(short(module.notes))}</pre>" if module.notes.strip() else ""
    return (f"<p>{len(module)} tensors on {html.escape(meshes)}</p>{notes}" + _fold("arguments", module.args, True) +
            _fold("results", module.results, True) + _fold("computed", module.tensors.others(), False))


def of_tensors(tensors: Tensors) -> str:
    """The first ones, and how many more."""
    more = len(tensors) - _MOST_ROWS
    rest = f"<p>and {more} more: .to_pandas() has all</p>" if more > 0 else ""
    return _table(_COLUMNS, map(_cells, tensors[:_MOST_ROWS])) + rest


def of_columns(columns: Mapping[str, Sequence[object]]) -> str:
    """Any columns, their first rows."""
    rows = list(zip(*columns.values()))
    rest = f"<p>and {len(rows) - _MOST_ROWS} more: .to_pandas() has all</p>" if len(rows) > _MOST_ROWS else ""
    return _table(columns, ([_cell(value) for value in row] for row in rows[:_MOST_ROWS])) + rest


def of_text(text: str) -> str:
    """What a command prints. Notebooks have rules of their own for <pre>, with other fonts."""
    return f'<pre style="font-family: monospace">{html.escape(text)}</pre>'


def short(notes: str) -> str:
    """The first lines of what the engine remarked."""
    lines = notes.strip().splitlines()
    more = [f"and {len(lines) - _MOST_NOTES} more lines in t.notes"] if len(lines) > _MOST_NOTES else []
    return "\n".join(lines[:_MOST_NOTES] + more)


def _fold(title: str, tensors: Tensors, is_open: bool) -> str:
    if not tensors:
        return ""
    return f"<details{' open' if is_open else ''}><summary>{title}: {len(tensors)}</summary>{of_tensors(tensors)}</details>"


def sums(title: str, rows: Sequence[CommSum]) -> str:
    """What collectives send, the most first; with times where there are some."""
    timed = any(row.seconds is not None for row in rows)
    columns = (title, "bytes sent by a device", "collectives", *(("microseconds",) if timed else ()))
    cells = ((row.name, f"{row.sent:,}", f"{row.count:,}", *((_microseconds(row),) if timed else ())) for row in rows[:_MOST_ROWS])
    return _table(columns, cells) if rows else ""


def memory(answer: Memory) -> str:
    rows = [("arguments", answer.arguments), ("results", answer.results), ("results in the memory of arguments", -answer.aliased),
            ("constants", answer.constants), ("temporaries at their peak, an estimate", answer.temporaries), ("in all", answer.total)]
    rows += [] if answer.limit is None else [("limit", answer.limit)]
    verdict = "" if answer.fits is None else f"<p>{'fits' if answer.fits else 'does not fit'}</p>"
    return _table(("on a device", "bytes"), ((what, f"{size:,}") for what, size in rows)) + verdict


def _microseconds(row: CommSum) -> str:
    return "" if row.seconds is None else f"{row.seconds * 1e6:,.1f}"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    return f"<table><thead>{_row(columns, 'th')}</thead><tbody>{''.join(_row(cells, 'td') for cells in rows)}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _cells(tensor: Tensor) -> Iterable[str]:
    local = "[" + ",".join(map(str, tensor.local_shape)) + "]"
    return tensor.name, tensor.type, tensor.spec_text, local, f"{tensor.bytes_per_device:,}", tensor.op_name, tensor.source


def _row(cells: Iterable[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{html.escape(cell)}</{kind}>' for cell in cells)}</tr>"
