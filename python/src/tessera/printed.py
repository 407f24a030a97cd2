"""Answers that print as the command prints them.

    bill.print_by(lambda: engine.ask(["comm", ..]).output)
    str(bill)                        # asked then, and kept

The text is asked for when somebody wants it: that of `memory` tries its annotations anew.
"""

from __future__ import annotations

from typing import Any, Callable


class Printed:
    """Base of frozen dataclasses. One that nobody told how to print prints as `repr`."""

    def print_by(self, ask: Callable[[], str]) -> None:
        self.__dict__["_ask_text"] = ask

    def __str__(self) -> str:
        ask = self.__dict__.pop("_ask_text", None)
        if ask is not None:
            self.__dict__["_text"] = ask().strip()
        return str(self.__dict__.get("_text", repr(self)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies: with the text in place of the engine."""
        str(self)
        return self.__dict__.copy()
