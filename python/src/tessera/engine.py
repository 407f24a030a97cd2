"""The engine, in this process: asked with the words of a command line, it answers what the command prints.

    engine = Engine({"the program": text})
    engine.ask(["explain", "the program", "h", "--json"])   ->   Answer(output='{"why":[..', text="h  f32[..", notes="", found=False)

A question that follows reads and propagates nothing anew (python/engine). Other threads run meanwhile. Ctrl-C ends the waiting for an
answer at once; the question goes on in a thread of its own until it is answered, and only then has its engine time for another one.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Mapping, NamedTuple, Sequence

from tessera import _engine
from tessera.errors import ShardingError


class Answer(NamedTuple):
    output: str
    text: str  # beside JSON of verbs that have a report: that report
    notes: str  # what it says beside the answer: nothing is annotated, results were cut ..
    found: bool  # a finding: a limit exceeded, another sharding than recorded


class Engine:
    """`files`: name -> text, of files that are not on the disk."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._engine = _engine.Engine(_as_bytes(files or {}))

    def ask(self, words: Sequence[str]) -> Answer:
        """Raises ShardingError with what the engine reports."""
        answer = checked(self._engine.ask([_encode(word) for word in words]))
        return Answer(_decode(answer.output), _decode(answer.text), _decode(answer.notes), answer.status == 1)

    def variant(self, files: Mapping[str, str] | None = None) -> Engine:
        """An engine of its own for other settings: with the same files, read already, and with further ones."""
        other = Engine.__new__(Engine)
        other._engine = self._engine.variant(_as_bytes(files or {}))
        return other


def main() -> None:
    """The command `tessera`: signals act as on any program, since no Python runs before its end."""
    for name in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(name, signal.SIG_DFL)
    sys.exit(_engine.run_command_line([os.fsencode(word) for word in sys.argv[1:]]))


def checked(answer: _engine.Answer) -> _engine.Answer:
    """Raises ShardingError with what the engine reports."""
    if answer.status == 2:
        raise _error(answer)
    return answer


def _error(answer: _engine.Answer) -> ShardingError:
    place = answer.place
    if place is None:
        return ShardingError(_decode(answer.notes), message=_decode(answer.error).strip().partition("\n")[0], code=answer.code)
    return ShardingError(_decode(answer.notes), message=_decode(place.message), file=_decode(place.file), line=place.line,
                         column=place.column, excerpt=_decode(place.excerpt))


def _as_bytes(files: Mapping[str, str]) -> dict[bytes, bytes]:
    return {_encode(name): _encode(text) for name, text in files.items()}


# HLO may hold any byte.
def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
