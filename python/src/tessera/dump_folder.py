"""The module meant in a folder that `--xla_dump_to` filled.

XLA leaves a file for each pass and module, `module_0003.jit_step.before_optimizations.txt` and others. Shardings follow from the module
before optimizations, so only those count.
"""

from __future__ import annotations

import os

_STAGE = "before_optimizations"
_ENDINGS = (".txt", ".hlo", ".pb")


def find_module(folder: str, name: str | None = None) -> str:
    """The only file before optimizations whose name holds `name`. FileNotFoundError where there is none, ValueError with a list for several."""
    files = sorted(file for file in os.listdir(folder) if _STAGE in file and file.endswith(_ENDINGS))
    if not files:
        raise FileNotFoundError(f"{folder!r} holds no *{_STAGE}* module: dump with XLA_FLAGS=--xla_dump_to={folder} "
                                "--xla_dump_hlo_as_text")
    meant = [file for file in files if name is None or name in file]
    stems = {file.rsplit(".", 1)[0] for file in meant}
    if len(stems) != 1:
        choice = ", ".join(meant or files)
        said = f"no module of {folder!r} has {name!r} in its name" if not meant else f"{folder!r} holds several modules"
        raise ValueError(f"{said}; say which by name=, a part of one of these: {choice}")
    return os.path.join(folder, min(meant, key=lambda file: _ENDINGS.index("." + file.rsplit(".", 1)[1])))
