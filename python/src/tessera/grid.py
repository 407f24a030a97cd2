"""The variants of a sweep: every mesh with every combination of alternatives.

    Grid(meshes=["data=8,model=1", {"data": 4, "model": 2}], annotate={"^x$": P("data")}, alternatives={"^w1$": [P(None, "model"), None]})

is four variants. None among alternatives: no annotation. A file or text in the form of pipeline/verbs/sweep_grid.proto is a grid as well.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Mapping, Sequence

from tessera.settings import mesh_text, spec_text

# What stands for a text of a grid on the engine's command line.
TEXT = "the grid"


@dataclasses.dataclass(frozen=True)
class Grid:
    """meshes: none: the module's own. annotate: in every variant. alternatives: pattern -> specs to try, None for none.

    file: a textproto with all of it, by its path or as text; what is beside it is added.
    """
    meshes: Sequence[Any] = ()
    annotate: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    alternatives: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    file: str | os.PathLike[str] | None = None

    def flags(self) -> list[str]:
        flags = [f"--mesh={mesh_text(mesh)}" for mesh in self.meshes]
        flags += [f"--annotate={pattern}={spec_text(spec)}" for pattern, spec in self.annotate.items()]
        for pattern, specs in self.alternatives.items():
            flags.append(f"--try={pattern}={'|'.join('none' if spec is None else spec_text(spec) for spec in specs)}")
        return flags + ([] if self.file is None else [f"--grid={TEXT}"])

    def files(self) -> dict[str, str]:
        """What the engine is to read. FileNotFoundError for a file that is not there."""
        if self.file is None:
            return {}
        name = os.fspath(self.file)
        if isinstance(self.file, str) and (":" in name or "{" in name) and not os.path.exists(name):
            return {TEXT: name}
        with open(name, encoding="utf-8") as file:
            return {TEXT: file.read()}


def grid_of(grid: Any) -> Grid:
    """A Grid, a mapping with its fields, a list of meshes, or a textproto. TypeError for anything else."""
    if grid is None:
        return Grid()
    if isinstance(grid, Grid):
        return grid
    if isinstance(grid, (str, os.PathLike)):
        return Grid(file=grid)
    if isinstance(grid, Mapping):
        try:
            return Grid(**grid)
        except TypeError:
            raise TypeError(f"a grid has meshes, annotate, alternatives and file, not {', '.join(map(repr, grid))}") from None
    if isinstance(grid, Sequence):
        return Grid(meshes=tuple(grid))
    raise TypeError(f"a {type(grid).__name__} is no grid: give tessera.Grid(meshes=[..], alternatives={{..}}), a list of meshes, or a textproto")
