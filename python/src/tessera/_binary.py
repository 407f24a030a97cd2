"""The engine: one binary, asked with a command line, answering on its standard output.

    run(["shardings", "-", "--json"], text)   ->  Answer(output='{"tensors":[..', notes="", found=False)

Starting it takes 3 ms. Exit status 1 is a finding (a limit exceeded, another sharding than recorded), 2 an error.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import NamedTuple, Sequence

from tessera.errors import ShardingError


class Answer(NamedTuple):
    output: str
    notes: str  # what it says beside the answer: nothing is annotated, results were cut ..
    found: bool  # exit status 1


def path() -> pathlib.Path:
    """The binary: TESSERA_BINARY, the one in the package, or the one built in the repository that this package stands in."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("TESSERA_BINARY")
    places = [pathlib.Path(named)] if named else [here / "bin/tessera", here.parents[2] / "bazel-bin/pipeline/tessera"]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(f"no tessera binary at {' or '.join(map(str, places))}: build it with `./bazelw build -c opt //:tessera`, "
                            "install the wheel, or set TESSERA_BINARY")


def run(words: Sequence[str], text: str | None = None) -> Answer:
    """Raises ShardingError with what the engine reports. Other threads run meanwhile."""
    given = None if text is None else text.encode("utf-8", "surrogateescape")
    done = subprocess.run([str(path()), *words], input=given, capture_output=True)
    # Not text=True, which would change the ends of lines.
    output, notes = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    if done.returncode not in (0, 1):
        raise ShardingError(notes or f"tessera {words[0]}: ended with status {done.returncode}")
    return Answer(output, notes, done.returncode == 1)


def main() -> None:
    """The command `tessera`: this process becomes the binary."""
    binary = str(path())
    os.execv(binary, [binary, *sys.argv[1:]])
