"""Lists of answers that are columns until a row is read.

    rows = Rows(Collective, answer["collectives"])
    rows[0].sent, rows.column("sent"), rows.to_pandas()

A row is a dataclass of messages.py, which the build makes. It is made when it is read. Rows can be compared, pickled, printed as the
command prints them, and shown as a table in a notebook.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Generic, Sequence, TypeVar, overload

from tessera import table
from tessera.read_answer import read, read_column

Row = TypeVar("Row")


class Rows(Sequence[Row], Generic[Row]):
    """`answers`: objects of the engine's JSON, each of which `row` has the fields of. `text`: what `print` shows, else a row on each line."""

    def __init__(self, row: type[Row], answers: Sequence[dict[str, Any]], text: str = "") -> None:
        self._row, self._answers, self._text = row, answers, text.strip()

    @overload
    def __getitem__(self, k: int) -> Row: ...

    @overload
    def __getitem__(self, k: slice) -> Rows[Row]: ...

    def __getitem__(self, k: int | slice) -> Row | Rows[Row]:
        if isinstance(k, slice):
            return Rows(self._row, self._answers[k])
        return read(self._row, self._answers[k])

    def __len__(self) -> int:
        return len(self._answers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"

    def __str__(self) -> str:
        return self._text or "\n".join(map(repr, self))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns: the fields of a row."""
        return tuple(field.name for field in dataclasses.fields(self._row))  # type: ignore[arg-type]

    def column(self, name: str) -> list[Any]:
        """The values of one field in all rows, without an object for a row. AttributeError for no field."""
        field = next((one for one in dataclasses.fields(self._row) if one.name == name), None)  # type: ignore[arg-type]
        if field is None:
            raise AttributeError(f"{self._row.__name__} has no field {name!r}: the fields are {', '.join(self.columns)}")
        empty = None if field.default is dataclasses.MISSING else field.default
        return read_column(self._row, name, self._answers, empty)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a column for each field."""
        import pandas
        return pandas.DataFrame({name: self.column(name) for name in self.columns})

    def _repr_html_(self) -> str:
        shown = [name for name in self.columns if any(value not in (None, "", (), [], False) for value in self.column(name))]
        return table.of_columns({name: self.column(name) for name in shown})
