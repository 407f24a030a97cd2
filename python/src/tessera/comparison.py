"""Two modules, or two settings of one, compared.

Where the meshes and the references are equal, the first is recorded and the second checked against that: each with all its own settings.
Otherwise the engine's `diff` compares them, which has a mesh, a reference and further annotations of the second one only.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import tempfile
from typing import TYPE_CHECKING, Sequence

from tessera import _binary
from tessera.answers import Comparison
from tessera.read_answer import read

if TYPE_CHECKING:
    from tessera.sharded import Sharded

# The name of a module that came as text, at the beginning of a report.
_STANDARD_INPUT = re.compile(r"^-(?=: | against )")


def compare(first: Sharded, second: Sharded) -> Comparison:
    """ValueError where the two differ in settings that cannot be compared at once."""
    is_one_mesh = [mesh.axes for mesh in first.meshes] == [mesh.axes for mesh in second.meshes]
    if is_one_mesh and first.settings.reference == second.settings.reference:
        return _check_against(first.record(), second)
    with first.source.as_file() as before, second.source.as_file() as after:
        return _ask(["diff", before, after, *_diff_flags(first, second)], None)


def check(module: Sharded, golden: str) -> Comparison:
    """Against a golden file. ShardingError where that is none, or of another mesh or reference."""
    with module.source.result_flags() as names:
        return _ask(["check", module.source.word, f"--golden={golden}", *names, *module.settings.flags()], module.source.text)


def _check_against(recorded: str, second: Sharded) -> Comparison:
    with tempfile.TemporaryDirectory(prefix="tessera_") as folder:
        path = pathlib.Path(folder) / "golden.txt"
        path.write_text(recorded, encoding="utf-8")
        compared = check(second, str(path))
        return dataclasses.replace(compared, text=compared.text.replace(str(path), "the first module"))


def _ask(words: Sequence[str], text: str | None) -> Comparison:
    report = _binary.run(words, text).output
    compared = read(Comparison, json.loads(_binary.run([*words, "--json"], text).output))
    return dataclasses.replace(compared, text=_STANDARD_INPUT.sub("the program", report.strip()))


def _diff_flags(first: Sharded, second: Sharded) -> list[str]:
    a, b = first.settings, second.settings
    common = len(a.annotate)
    if dataclasses.replace(a, mesh=b.mesh, reference=b.reference, annotate=b.annotate) != b or b.annotate[:common] != a.annotate:
        raise ValueError("modules on two meshes, or of two references, are compared where all else is equal, but for annotations that the "
                         "second has more than the first")
    flags = a.flags()
    flags += [f"--b-mesh={b.mesh}"] if b.mesh is not None else []
    flags += [f"--b-reference={b.reference}"] if b.reference is not None else []
    return flags + [f"--b-annotate={pattern}={spec}" for pattern, spec in b.annotate[common:]]
