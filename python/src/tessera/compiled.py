"""A prediction beside the program that the compiler made: `t.verify(compiled, target)` and `t.confirm(target)`.

    made = t.verify(jax.jit(step).lower(*args).compile(), "tpu-v5e:4x4")
    made.equal                          # every collective agrees, every argument and result has the predicted shape
    made.measures                       # memory and time of a device, predicted and compiled
    print(made)                         # as `tessera diff STEP COMPILED --target` does

docs/compiled.md has how collectives are matched, and what a compiler is asked by.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from tessera import messages
from tessera.engine import Answer
from tessera.errors import ShardingError
from tessera.printed import Printed, with_fields
from tessera.read_answer import read
from tessera.source import source_of

if TYPE_CHECKING:
    from tessera.questions import Questions

_COMPILED = "the compiled program"


@with_fields
@dataclasses.dataclass(frozen=True)
class CompiledComparison(Printed, messages.CompiledComparisonAnswer):
    """`print` it. Each collective of either side is in one match; what agrees comes first. `measures`, memory and time, do not decide `equal`."""


def verify(module: Questions, compiled: Any, target: str) -> CompiledComparison:
    """ShardingError where `compiled` is no module that a compiler has finished, or of another number of devices."""
    source = source_of(compiled)
    engine = module._engine
    word = source.file
    if word is None:
        engine, word = engine.variant({_COMPILED: source.text or ""}), _COMPILED
    return _read(engine.ask(["diff", module.source.word, word, f"--target={target}", *module._flags, "--json"]))


def confirm(module: Questions, target: str, *, python: str | os.PathLike[str] | None = None, timeout: int = 600, cache: bool = True) -> CompiledComparison:
    """ValueError where the module has settings: the compiler is given the module as it is.

    ShardingError where there is no compiler to ask, and where it refuses the program.
    """
    number = module.settings.number
    if dataclasses.replace(module.settings, reference=None, number=None).flags():
        raise ValueError("the compiler is given the module as it is: confirm one without a mesh, annotations and other settings")
    flags = [f"--target={target}", f"--python={os.fspath(python or sys.executable)}", f"--timeout={timeout}"]
    flags += [] if number is None else [f"--module={number}"]
    answer = module._engine.ask(["confirm", module.source.word, *flags, *([] if cache else ["--no-cache"]), "--json"])
    return _read(answer)


def _read(answer: Answer) -> CompiledComparison:
    if not answer.output.startswith("{"):  # what the compiler says of a program that it refuses
        raise ShardingError(answer.output, message=answer.output.strip())
    members = json.loads(answer.output)
    if "target" not in members:  # of two programs in front of a compiler, as `diff` compares them
        reason = "the second module is not compiled, expected one that a compiler has finished, as compiled.as_text() of JAX gives it"
        raise ShardingError(reason, message=reason)
    compared = read(CompiledComparison, members)
    compared.print_as(answer.text)
    return compared
