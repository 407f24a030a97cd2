#!/usr/bin/env python3
"""Writes `tessera.messages`: a frozen dataclass for each message of the engine's answers, out of pipeline/schema/*_answer.proto.

    python python/answer_classes.py > python/src/tessera/messages.py

The build of the wheel runs it (pack_engine.py).

| field of a message | field of its class |
|---|---|
| required | without a default; these come first |
| optional with a default, or absent where it is empty (`if_any`) | with that default, or the empty value |
| optional | or None |
| repeated | a tuple; of an answer's messages none that `repr` shows |

Comments become docstrings. A line that is none of these is an error.
"""

import pathlib
import re
import sys
import textwrap

SCHEMA = pathlib.Path(__file__).parents[1] / "pipeline/schema"
ANSWERS = ("collectives", "comm", "compiled_comparison", "cost", "golden", "lint", "memory", "reshards", "suggest", "sweep")
TYPES = {"string": "str", "int32": "int", "int64": "int", "double": "float", "bool": "bool"}
EMPTY = {"str": '""', "int": "0", "float": "0", "bool": "False"}

# `from` is no name in Python.
RENAMED = {"from": "before", "to": "after"}

_HEAD = '''"""Written by python/answer_classes.py out of pipeline/schema/*_answer.proto."""

from __future__ import annotations

import dataclasses

# Fields that have another name in JSON.
RENAMED = {renamed}
'''
_OUTSIDE = re.compile(r"|syntax = .*|package .*|import .*")
_FIELD = re.compile(r"  (required|optional|repeated) (\w+) (\w+) = \d+(?: \[(.*)\])?;")


def messages(text):
    """(name, comment, fields) of each message; a field is (label, type, name, options, comment)."""
    comment, name, fields = [], None, []
    for line in text.splitlines():
        if line.strip().startswith("//"):
            comment.append(line.strip()[2:].strip())
            continue
        if line.startswith("message "):
            name, of_message, fields = line.split()[1], " ".join(comment), []
        elif line == "}":
            yield name, of_message, fields
        elif found := _FIELD.fullmatch(line):
            label, kind, field, options = found.groups(default="")
            if "(text.unwritten)" not in options:
                fields.append((label, kind, RENAMED.get(field, field), options, " ".join(comment)))
        elif not _OUTSIDE.fullmatch(line):
            raise SystemExit(f"not understood: {line}")
        comment = []


def default(label, kind, options):
    """The default of a field, as Python; none of a required one."""
    if label == "required":
        return None
    if label == "repeated":
        return "()"
    if found := re.search(r"default = ([^,]*)", options):
        return found[1].capitalize() if kind == "bool" else found[1]
    return EMPTY.get(TYPES.get(kind), f"{kind}()") if "(text.if_any) = true" in options else "None"


def members(message, fields):
    """The lines of a class: fields without a default first, as dataclasses want them."""
    for label, kind, name, options, _ in sorted(fields, key=lambda field: field[0] != "required"):
        made = TYPES.get(kind, kind)
        value = default(label, kind, options)
        if label == "repeated" and kind not in TYPES and message.endswith("Answer"):
            value = "dataclasses.field(default=(), repr=False)"
        made = f"tuple[{made}, ...]" if label == "repeated" else f"{made} | None" if value == "None" else made
        yield f"    {name}: {made}" + ("" if value is None else f" = {value}")


def docstring(comment, fields):
    lines = [comment, ""] + [wrapped(f"{name}: {about}") for _, _, name, _, about in fields if about]
    return textwrap.indent('"""' + "\n".join(lines).strip() + '\n"""', "    ")


def wrapped(line):
    return textwrap.fill(line, 146, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def module():
    """The text of the module: a class stands below those of its fields."""
    known = {name: (comment, fields) for one in ANSWERS for name, comment, fields in messages((SCHEMA / f"{one}_answer.proto").read_text())}
    written = {}

    def write(name):
        comment, fields = known[name]
        for _, kind, *_ in fields:
            if kind in known and kind not in written:
                write(kind)
        written[name] = "\n".join([f"\n\n@dataclasses.dataclass(frozen=True)\nclass {name}:", docstring(comment, fields), *members(name, fields), ""])

    for name in known:
        if name not in written:
            write(name)
    return _HEAD.format(renamed=RENAMED) + "".join(written.values())


if __name__ == "__main__":
    sys.stdout.write(module())
