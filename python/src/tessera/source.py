"""What a module can be given as, and how each becomes what the engine reads: a file, or a text that stands for one.

| given | becomes |
|---|---|
| a function and its arguments | traced and lowered (lowering.py) |
| `jax.stages.Lowered` | its HLO text, with file and line of each operation |
| `jax.stages.Traced` | lowered first |
| `jax.export.Exported` | the HLO text of its StableHLO |
| `jax.stages.Compiled` | the HLO text of the module that the compiler made for one device |
| text with more than one line, or one that begins with `HloModule` | itself |
| any other string, or a path | the file; of a folder of dumps the one module before optimizations |

No jax is imported for this: its objects are known by what they can do.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any, Sequence

from tessera import cells, dump_folder, lowering

# Names of what is no file, as reports and errors say them.
TEXT = "the program"
_RESULTS = "the names of results"


@dataclasses.dataclass(frozen=True)
class Source:
    """`text` or `file`, the other one is None.

    results: paths of the results in what the function returns, out['w1'], where jax says.
    jaxlib: the version that lowered the module; None where nothing says it.
    is_compiled: it is of one device, after the partitioner.
    """
    text: str | None = dataclasses.field(default=None, repr=False)
    file: str | None = None
    results: tuple[str, ...] = ()
    jaxlib: str | None = None
    is_compiled: bool = False

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


def source_of(module: Any, arguments: Sequence[Any] = (), *, mesh: Any = None, platform: str | None = None, name: str | None = None) -> Source:
    """`arguments`: of a function. `name`: of the module wanted, where a folder holds several.

    TypeError for what is no module, with what to give instead.
    """
    is_function = callable(module) and not isinstance(module, os.PathLike) and not lowering.is_stage(module)
    if is_function and (arguments or lowering.takes_nothing(module)):
        return _of_stage(lowering.lower(module, arguments, mesh, platform))
    if is_function:
        raise TypeError("a function has no shapes yet: give its arguments too, arrays or jax.ShapeDtypeStruct: tessera.shard(f, x, y)")
    if arguments:
        raise TypeError(f"only a function takes arguments; a {type(module).__name__} has its own")
    if isinstance(module, str):
        if "\n" in module or module.lstrip().startswith("HloModule"):
            return Source(text=module)
        return _path(module, name)
    if isinstance(module, os.PathLike):
        return _path(os.fspath(module), name)
    return _of_stage(module)


def _path(path: str, name: str | None) -> Source:
    if os.path.isdir(path):
        return Source(file=dump_folder.find_module(path, name))
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path!r}, and it is no HLO text")
    return Source(file=path)


def _of_stage(module: Any) -> Source:
    if hasattr(module, "output_shardings"):
        return Source(text=cells.named(lowering.compiled_text(module)), jaxlib=_jaxlib_version(), is_compiled=True)
    if hasattr(module, "jaxpr") and hasattr(module, "lower"):
        module = lowering.lower_traced(module, None)
    if hasattr(module, "mlir_module_serialized"):
        return Source(text=cells.named(lowering.exported_text(module)), results=lowering.exported_results(module), jaxlib=_jaxlib_version())
    if hasattr(module, "compiler_ir") and hasattr(module, "as_text"):
        text = cells.named(module.as_text("hlo", debug_info=True))
        return Source(text=text, results=lowering.result_paths(module.out_info), jaxlib=_jaxlib_version())
    raise TypeError(f"a {type(module).__name__} is no module: give what jax.jit(f).lower(*arguments) returns, a function with its arguments, "
                    "HLO text, or a path")


def _jaxlib_version() -> str | None:
    return getattr(sys.modules.get("jaxlib"), "__version__", None)
