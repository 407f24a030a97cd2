"""Two modules, or two settings of one, compared.

Where the meshes and the references are equal, the first is recorded and the second checked against that: each with all its own settings.
Otherwise the engine's `diff` compares them, which has a mesh, a reference and further annotations of the second one only.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import TYPE_CHECKING, Sequence

from tessera.answers import Comparison
from tessera.engine import Engine
from tessera.read_answer import read

if TYPE_CHECKING:
    from tessera.sharded import Sharded

_FIRST, _SECOND = "the first module", "the second module"


def compare(first: Sharded, second: Sharded, filters: Sequence[str] = (), target: Sequence[str] = ()) -> Comparison:
    """`filters`: flags that choose tensors, `target`: of a machine. ValueError where the two differ in settings that cannot be compared at once."""
    if target:
        return _diff(first, second, [*filters, *target])
    is_one_mesh = [mesh.axes for mesh in first.meshes] == [mesh.axes for mesh in second.meshes]
    if is_one_mesh and first.reference == second.reference:
        return _check_against(first.record(), second, filters)
    return _diff(first, second, filters)


def check(module: Sharded, golden: pathlib.Path) -> Comparison:
    """Against a golden file. ShardingError where that is none, or of another mesh or reference."""
    return _check(module, module._engine, str(golden))


def _check_against(recorded: str, second: Sharded, filters: Sequence[str]) -> Comparison:
    return _check(second, second._engine.variant({_FIRST: recorded}), _FIRST, filters)


def _check(module: Sharded, engine: Engine, golden: str, filters: Sequence[str] = ()) -> Comparison:
    return _ask(engine, ["check", module.source.word, golden, *filters, *module._flags])


def _diff(first: Sharded, second: Sharded, filters: Sequence[str]) -> Comparison:
    files: dict[str, str] = {}
    words = []
    for name, source in ((_FIRST, first.source), (_SECOND, second.source)):
        files |= {} if source.text is None else {name: source.text}
        words.append(name if source.file is None else source.file)
    return _ask(Engine(files), ["diff", *words, *filters, *_diff_flags(first, second)])


def _ask(engine: Engine, words: Sequence[str]) -> Comparison:
    answer = engine.ask([*words, "--json"])
    return dataclasses.replace(read(Comparison, json.loads(answer.output)), text=answer.text.strip())


def _diff_flags(first: Sharded, second: Sharded) -> list[str]:
    a, b = first.settings, second.settings
    common = len(a.annotate)
    if dataclasses.replace(a, mesh=b.mesh, reference=b.reference, annotate=b.annotate) != b or b.annotate[:common] != a.annotate:
        raise ValueError("modules on two meshes, or of two references, are compared where all else is equal, but for annotations that the "
                         "second has more than the first")
    flags = a.flags()
    flags += [f"--b-mesh={b.mesh}"] if b.mesh is not None else []
    flags += [f"--b-reference={second.reference}"]
    return flags + [f"--b-annotate={pattern}={spec}" for pattern, spec in b.annotate[common:]]
