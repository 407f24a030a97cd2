#!/usr/bin/env python3
"""Writes docs/python_api.md, the reference of the package, out of its docstrings.

    python python/api_page.py > docs/python_api.md

Needs the package, as installed or on PYTHONPATH. A test holds the page equal (python/tests/test_api_page.py).
"""

import dataclasses
import functools
import inspect
import textwrap

import tessera

_HEAD = """# The Python package, name by name

Written by `python/api_page.py` out of the docstrings; a test holds it equal. [python.md](python.md) is the tour.
"""


def page():
    functions = [name for name in tessera.__all__ if inspect.isfunction(getattr(tessera, name))]
    classes = [name for name in tessera.__all__ if inspect.isclass(getattr(tessera, name))]
    parts = [_HEAD, "## Functions\n", *(function(name, getattr(tessera, name), 3) for name in functions)]
    return "\n".join([*parts, "## Classes\n", *(class_(name, getattr(tessera, name)) for name in classes)])


def class_(name, made):
    fields = []
    if dataclasses.is_dataclass(made):
        fields = [f"    {one.name}: {one.type}" for one in dataclasses.fields(made)]
    parts = [f"### {name}\n", prose(made), *(["\n".join(["Fields:", "", *fields]) + "\n"] if fields else [])]
    return "\n".join(parts + [member(name, *one) for one in members(made)])


def members(made):
    """Public ones that have a docstring, of the class and of its bases in this package, in the order of their source."""
    found = {}
    for base in reversed(made.__mro__):
        if base.__module__.startswith("tessera."):
            found |= {key: value for key, value in vars(base).items() if not key.startswith("_") or key == "__getitem__"}
    return [(key, value) for key, value in found.items() if inspect.getdoc(getattr(value, "func", value)) and
            (inspect.isfunction(value) or isinstance(value, (property, functools.cached_property)))]


def member(owner, key, value):
    if inspect.isfunction(value):
        return function(f"{owner}.{key}", value, 4)
    return f"#### {owner}.{key}\n\n{prose(getattr(value, 'func', value))}"


def function(name, value, level):
    signature = inspect.signature(value)
    text = f"{name.rpartition('.')[2]}({', '.join(parameters(signature))}) -> {signature.return_annotation}"
    shown = textwrap.fill(text, 150, initial_indent="    ", subsequent_indent="        ", break_long_words=False, break_on_hyphens=False)
    return f"{'#' * level} {name}\n\n{shown}\n\n{prose(value)}"


def parameters(signature):
    """As they are written, without `self`."""
    is_open = False  # after a star
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not is_open:
            yield "*"
        is_open = is_open or one.kind in (one.VAR_POSITIONAL, one.KEYWORD_ONLY)
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        yield f"{stars}{one.name}: {one.annotation}" + ("" if one.default is one.empty else f" = {one.default!r}")


def prose(made):
    """The docstring: its indented lines are code or go on a line before, as they stand."""
    text = inspect.getdoc(made) or ""
    is_written = inspect.isclass(made) and text.startswith(f"{made.__name__}(")  # by @dataclass itself
    lines = [] if is_written else text.split("\n")
    return "\n".join("  " + line if line.startswith("  ") else line for line in lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
