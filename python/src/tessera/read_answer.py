"""JSON of the engine into dataclasses: members by name, lists into tuples, what no field knows left out.

    read(Buffer, {"name": "x", "shape": "f32[2]", "bytes": 8, "new": 1})   ->   Buffer("x", "f32[2]", 8)
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from typing import Any, Iterable, TypeVar

from tessera.messages import RENAMED

Row = TypeVar("Row")


def read(row: type[Row], answer: dict[str, Any]) -> Row:
    types = _types(typing.cast(typing.Hashable, row))
    members = {RENAMED.get(name, name): value for name, value in answer.items()}
    return row(**{name: _convert(types[name], value) for name, value in members.items() if name in types})


def read_column(row: type[Row], name: str, answers: Iterable[dict[str, Any]], empty: Any) -> list[Any]:
    """One field of all rows; `empty` where an answer leaves it out."""
    wanted = _types(typing.cast(typing.Hashable, row))[name]
    key = next((key for key, field in RENAMED.items() if field == name), name)
    return [_convert(wanted, answer[key]) if key in answer else empty for answer in answers]


@functools.cache
def _types(row: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(row)
    return {field.name: hints[field.name] for field in dataclasses.fields(row)}


def _convert(wanted: Any, value: Any) -> Any:
    if isinstance(value, list):
        element = typing.get_args(wanted)[0]
        return tuple(_convert(element, one) for one in value)
    if isinstance(value, dict):
        row: Any = wanted if isinstance(wanted, type) else typing.get_args(wanted)[0]  # a class, or that or None
        return read(row, value)
    return value
