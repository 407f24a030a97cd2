"""What a module can be given as, and how each becomes what the engine reads: a file, or a text that stands for one.

| given | becomes |
|---|---|
| `jax.stages.Lowered` | its HLO text, with file and line of each operation |
| `jax.stages.Traced` | lowered first |
| text with more than one line, or one that begins with `HloModule` | itself |
| any other string, or a path | the file; of a folder of dumps the one module before optimizations |

No jax is imported for this: its objects are known by what they can do.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any

from tessera import cells, dump_folder

# Names of what is no file, as reports and errors say them.
TEXT = "the program"
_RESULTS = "the names of results"


@dataclasses.dataclass(frozen=True)
class Source:
    """`text` or `file`, the other one is None.

    results: paths of the results in what the function returns, out['w1'], where jax says.
    jaxlib: the version that lowered the module; None where nothing says it.
    """
    text: str | None = None
    file: str | None = None
    results: tuple[str, ...] = ()
    jaxlib: str | None = None

    @property
    def word(self) -> str:
        """What stands for it on the command line."""
        return TEXT if self.file is None else self.file

    def files(self) -> dict[str, str]:
        """What the engine is to read that is no file."""
        texts = {} if self.text is None else {TEXT: self.text}
        return texts | ({_RESULTS: "\n".join(self.results)} if self.results else {})

    def anywhere(self) -> Source:
        """The same for a process that works in another folder."""
        return self if self.file is None else dataclasses.replace(self, file=os.path.abspath(self.file))

    def flags(self) -> list[str]:
        """The flag by which the engine learns how results are called."""
        return [f"--result-names={_RESULTS}"] if self.results else []


def source_of(module: Any, name: str | None = None) -> Source:
    """`name`: of the module wanted, where a folder holds several. TypeError for what is no module, with what to give instead."""
    if isinstance(module, str):
        if "\n" in module or module.lstrip().startswith("HloModule"):
            return Source(text=module)
        return _path(module, name)
    if isinstance(module, os.PathLike):
        return _path(os.fspath(module), name)
    return _lowered(module)


def _path(path: str, name: str | None) -> Source:
    if os.path.isdir(path):
        return Source(file=dump_folder.find_module(path, name))
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path!r}, and it is no HLO text")
    return Source(file=path)


def _lowered(module: Any) -> Source:
    if hasattr(module, "output_shardings"):
        raise TypeError("a compiled program is partitioned already: give what .lower() returned, before .compile()")
    if hasattr(module, "jaxpr") and hasattr(module, "lower"):
        module = module.lower()
    if hasattr(module, "compiler_ir") and hasattr(module, "as_text"):
        text = cells.named(module.as_text("hlo", debug_info=True))
        return Source(text=text, results=_result_paths(module), jaxlib=_jaxlib_version())
    if callable(module) and hasattr(module, "lower"):
        raise TypeError("a jitted function has no shapes yet: give jax.jit(f).lower(*arguments)")
    if callable(module):
        raise TypeError("a function is no module: give jax.jit(f).lower(*arguments)")
    raise TypeError(f"a {type(module).__name__} is no module: give what jax.jit(f).lower(*arguments) returns, HLO text, or a path")


def _jaxlib_version() -> str | None:
    return getattr(sys.modules.get("jaxlib"), "__version__", None)


def _result_paths(lowered: Any) -> tuple[str, ...]:
    tree_util = sys.modules["jax"].tree_util  # there, since its object is
    leaves, _ = tree_util.tree_flatten_with_path(lowered.out_info)
    return tuple("out" + tree_util.keystr(path) for path, _ in leaves)
