"""What a sweep has worked out, in a file that a later call reads: lines of JSON by key.

    done = Checkpoint("sweep.jsonl")
    done.add(lines); done.line_of(planned)

A line counts for every variant with its key, also of another grid. A key is of the module, the flags and the machine too
(pipeline/verbs/search/sweep/sweep_part.h), so that one file may hold several sweeps. `tessera sweep sweep.jsonl --merge` reads the file of one.
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable

Line = dict[str, Any]


class Checkpoint:
    """`path` None: kept in memory alone. A last line that was cut when its writer ended is left out, and taken out of the file."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._path = path
        self._lines: dict[str, list[Line]] = {}
        if path is not None and os.path.exists(path):
            self._read(path)

    def add(self, lines: Iterable[Line]) -> None:
        """Written at once, so that what is done stays done."""
        fresh = []
        for line in lines:
            if self.line_of(line) is None:
                fresh.append(line)
                self._lines.setdefault(line["key"], []).append(line)
        if self._path is not None and fresh:
            with open(self._path, "a", encoding="utf-8") as file:
                file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in fresh)
                file.flush()
                os.fsync(file.fileno())

    def line_of(self, planned: Line) -> Line | None:
        """The figures of a variant with its own number, mesh and annotations; None for one that is not there.

        Why a variant is refused names what it says itself: there its own line counts.
        """
        for line in self._lines.get(planned["key"], ()):
            if "refused" not in line or _text(line) == _text(planned):
                return line | {"variant": planned["variant"], "annotate": planned["annotate"]} | {k: v for k, v in planned.items() if k == "mesh"}
        return None

    def _read(self, path: str | os.PathLike[str]) -> None:
        with open(path, "rb+") as file:
            whole = file.read()
            end = whole.rfind(b"\n") + 1
            if end < len(whole):
                file.truncate(end)
        for text in whole[:end].decode("utf-8").splitlines():
            line = json.loads(text)
            if "key" in line:
                self._lines.setdefault(line["key"], []).append(line)


def _text(line: Line) -> tuple[Any, Any]:
    return line.get("mesh"), tuple(line["annotate"])
