"""Answers that print as the command prints them.

    bill.print_as(engine.ask(["comm", .., "--json"]).text)
    print(bill)
"""

from __future__ import annotations


class Printed:
    """Base of frozen dataclasses. One that nobody told how to print prints as `repr`."""

    def print_as(self, text: str) -> None:
        self.__dict__["_text"] = text.strip()

    def __str__(self) -> str:
        return str(self.__dict__.get("_text", repr(self)))
