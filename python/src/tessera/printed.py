"""Answers that print as the command prints them.

    bill.print_as(engine.ask(["comm", .., "--json"]).text)
    print(bill)
"""

from __future__ import annotations

from typing import Any, TypeVar

Made = TypeVar("Made", bound=type[Any])


class Printed:
    """Base of frozen dataclasses. One that nobody told how to print prints as `repr`."""

    def print_as(self, text: str) -> None:
        self.__dict__["_text"] = text.strip()

    def __str__(self) -> str:
        return str(self.__dict__.get("_text", repr(self)))


def with_fields(made: Made) -> Made:
    """A class of an answer, whose docstring goes on with the fields of its message (messages.py)."""
    of_message = next(base.__doc__ or "" for base in made.__mro__ if base.__module__ == "tessera.messages")
    made.__doc__ = f"{(made.__doc__ or '').rstrip()}\n\n{of_message.partition(chr(10) * 2)[2]}"
    return made
