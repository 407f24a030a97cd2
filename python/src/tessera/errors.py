"""What goes wrong: a module that cannot be read, an option that does not fit it, a name that it does not have."""

from __future__ import annotations

import difflib
import re
from typing import Iterable

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.*)$", re.M)


class ShardingError(ValueError):
    """What the engine refuses. `str()` is the whole report, with the line of the module and a caret under the place.

    file, line, column: where, counted from 1; None for what has no place, such as an unknown option.
    message: one sentence.
    excerpt: the line of the module and the caret below it; empty without a place.
    """

    def __init__(self, report: str) -> None:
        super().__init__(report.strip("\n"))
        self.file: str | None = None
        self.line: int | None = None
        self.column: int | None = None
        self.message: str = next((line for line in report.strip().splitlines() if not line.startswith("note:")), "no answer")
        self.excerpt: str = ""
        if found := _PLACE.search(report):
            self.file, self.message = found["file"], found["message"]
            self.line, self.column = int(found["line"]), int(found["column"])
            self.excerpt = "\n".join(report[found.end():].splitlines()[1:3])


class UnknownTensor(KeyError):
    """No tensor has that name; the message has the nearest ones, `nearest` too."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.nearest: list[str] = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
        super().__init__(name)

    def __str__(self) -> str:
        hint = f"; the nearest names are {', '.join(self.nearest)}" if self.nearest else ""
        return f"no tensor is named {self.name!r}{hint}"
