"""What goes wrong: a module that cannot be read, an option that does not fit it, a name that it does not have."""

from __future__ import annotations

import difflib
from typing import Iterable


class ShardingError(ValueError):
    """What the engine refuses. `str()` is the whole report, with the line of the module and a caret under the place.

    file, line, column: where, counted from 1; None for what has no place, such as an unknown option.
    message: one sentence.
    excerpt: the line of the module and the caret below it; empty without a place.
    code: "NOT_FOUND" for the name of no tensor or file, "INVALID_ARGUMENT", ..
    """

    def __init__(self, report: str, *, message: str | None = None, file: str | None = None, line: int | None = None,
                 column: int | None = None, excerpt: str = "", code: str = "INVALID_ARGUMENT") -> None:
        super().__init__(report.strip("\n"))
        self.file, self.line, self.column, self.excerpt, self.code = file, line, column, excerpt, code
        self.message: str = str(self) if message is None else message


class UnknownTensor(KeyError):
    """No tensor has that name; the message has those that contain it, else the nearest ones, and so has `nearest`."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        names = list(known)
        holding = [one for one in names if name in one] if len(name) > 1 else []  # 'wq': the path params['wq']
        self.nearest: list[str] = holding[:3] or difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        super().__init__(name)

    def __str__(self) -> str:
        verb = "name is" if len(self.nearest) == 1 else "names are"
        hint = f"; the nearest {verb} {', '.join(self.nearest)}" if self.nearest else ""
        return f"no tensor is named {self.name!r}{hint}"
