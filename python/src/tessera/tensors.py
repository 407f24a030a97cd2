"""All tensors of a module, in columns: no object for a tensor before one is asked for.

    t.tensors[7], t.tensors.column("bytes_per_device"), t.tensors.to_pandas()

The engine's answer (ShardingColumns in pipeline/schema/shardings_answer.proto) says each distinct placement, op_name and line once. A filter
therefore looks at a few placements and texts, and then at numbers.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from typing import Any, Callable, Iterable, Iterator, Sequence, overload

from tessera import table
from tessera.tensor import Mesh, Placement, Tensor, read_mesh, read_placement


class Tensors(Sequence[Tensor]):
    """In order of the module's text, results last. `rows`: of a selection."""

    def __init__(self, answer: str | Columns, rows: Sequence[int] | None = None) -> None:
        self._columns = Columns(json.loads(answer)) if isinstance(answer, str) else answer
        self._rows: Sequence[int] = range(len(self._columns.names)) if rows is None else rows

    @overload
    def __getitem__(self, k: int) -> Tensor: ...

    @overload
    def __getitem__(self, k: slice) -> Tensors: ...

    def __getitem__(self, k: int | slice) -> Tensor | Tensors:
        return self._select(self._rows[k]) if isinstance(k, slice) else self._columns.tensor(self._rows[k])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Tensor]:
        return map(self._columns.tensor, self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Iterable[Tensor]) -> list[Tensor]:
        return [*self, *other]

    def __repr__(self) -> str:
        shown = ", ".join(tensor.name for tensor in self[:6])
        return f"<tessera.Tensors: {len(self)} tensors: {shown}{', ..' if len(self) > 6 else ''}>"

    def _repr_html_(self) -> str:
        return table.of_tensors(self)

    def column(self, name: str) -> list[Any]:
        """One attribute of all tensors: name, shape, element_type, spec_text, bytes_per_device, op_name, source and the others of Tensor."""
        return self._columns.column(name, self._rows)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a column for each field of Tensor."""
        import pandas
        return pandas.DataFrame({field.name: self.column(field.name) for field in dataclasses.fields(Tensor)})

    def named(self, name: str) -> Tensor | None:
        """By its name, or by the path of an argument or result."""
        row = self._columns.rows_by_name.get(name)
        return None if row is None else self._columns.tensor(row)

    @property
    def names(self) -> list[str]:
        """Names of all tensors, and paths of arguments and results."""
        return list(self._columns.rows_by_name)

    def arguments(self) -> Tensors:
        """Arrays of arguments, by the number of the argument."""
        return self._select([row for row, _ in sorted(self._columns.arguments.items(), key=lambda one: one[1])])

    def results(self) -> Tensors:
        """What the module returns, in order."""
        return self._select(range(self._columns.first_result, len(self._columns.names)))

    def others(self) -> Tensors:
        """What is computed: neither argument nor result."""
        return self._select([row for row in range(self._columns.first_result) if row not in self._columns.arguments])

    def where(self, *, placement: Callable[[Placement], bool] | None = None, source: Callable[[str], bool] | None = None,
              text: Callable[[str], bool] | None = None, match: re.Pattern[str] | None = None) -> Tensors:
        """Tensors for which all are true. text: of name or op_name. match: found in name, op_name or source."""
        columns, rows = self._columns, self._rows
        if placement is not None:
            fits = [placement(one) for one in columns.placements]
            rows = [row for row in rows if fits[columns.placement[row]]]
        if source is not None:
            fits = [source(one) for one in columns.texts]
            rows = [row for row in rows if fits[columns.source[row]]]
        if text is not None:
            fits = [text(one) for one in columns.texts]
            rows = [row for row in rows if fits[columns.op_name[row]] or text(columns.names[row])]
        if match is not None:
            found = [match.search(one) is not None for one in columns.texts]
            rows = [row for row in rows if found[columns.op_name[row]] or found[columns.source[row]] or match.search(columns.names[row])]
        return self._select(rows)

    def largest(self, count: int) -> Tensors:
        """Those that take most on a device, the largest first."""
        size = [one.bytes_per_device for one in self._columns.placements]
        return self._select(sorted(self._rows, key=lambda row: -size[self._columns.placement[row]])[:count])

    @property
    def meshes(self) -> list[Mesh]:
        """The meshes that shardings name."""
        return self._columns.meshes

    @property
    def reference(self) -> str:
        """The jaxlib whose pass is imitated."""
        return self._columns.reference

    @property
    def count_with_sharding(self) -> int:
        """How many tensors propagation reached."""
        reached = [one.mesh is not None for one in self._columns.placements]
        return sum(reached[self._columns.placement[row]] for row in self._rows)

    def _select(self, rows: Sequence[int]) -> Tensors:
        return Tensors(self._columns, rows)


class Columns:
    """The engine's answer, with its placements read."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.names: list[str] = answer["names"]
        self.placement: list[int] = answer["placement"]
        self.op_name: list[int] = answer["op_name"]
        self.source: list[int] = answer["location"]
        self.texts: list[str] = answer["texts"]
        self.first_result: int = len(self.names) - answer["results"]
        self.arguments: dict[int, int] = dict(zip(answer["argument_rows"], answer["arguments"]))
        self.meshes: list[Mesh] = [read_mesh(mesh) for mesh in answer["meshes"]]
        self.reference: str = answer["reference"]
        self.placements: list[Placement] = [read_placement(one, self.meshes) for one in answer["placements"]]

    def tensor(self, row: int) -> Tensor:
        return self.placements[self.placement[row]].tensor(self.names[row], self.texts[self.op_name[row]], self.texts[self.source[row]],
                                                           row >= self.first_result, self.arguments.get(row))

    def column(self, name: str, rows: Sequence[int]) -> list[Any]:
        if name == "name":
            return [self.names[row] for row in rows]
        if name in ("op_name", "source"):
            index = self.op_name if name == "op_name" else self.source
            return [self.texts[index[row]] for row in rows]
        if name == "is_result":
            return [row >= self.first_result for row in rows]
        if name == "parameter":
            return [self.arguments.get(row) for row in rows]
        values = [getattr(one.tensor(), name) for one in self.placements]
        return [values[self.placement[row]] for row in rows]

    @functools.cached_property
    def rows_by_name(self) -> dict[str, int]:
        paths = {self.texts[self.op_name[row]]: row for row in (*self.arguments, *range(self.first_result, len(self.names)))}
        paths.pop("", None)
        return paths | {name: row for row, name in enumerate(self.names)}
