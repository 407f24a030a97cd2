"""Why a tensor has its sharding, and why not another one."""

from __future__ import annotations

import dataclasses
from typing import Any

from tessera import table


@dataclasses.dataclass(frozen=True)
class Explanation:
    """`print` it: the way of each axis back to its annotation.

    events: all of it as data, in the form of pipeline/schema/explain_answer.proto: `why` (a chain for each axis), `why_not`, `mesh`; without a
    name `surprises`.
    """
    text: str
    events: dict[str, Any] = dataclasses.field(repr=False, default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return table.of_text(self.text)

    @property
    def origins(self) -> dict[str, str]:
        """Axis -> the annotation from which it came: {'data': "P('data', None) on parameter 9"}."""
        return {chain["axis"]["name"]: _annotation_text(chain["origin"]) for chain in self.events.get("why", []) if "origin" in chain}


def _annotation_text(origin: dict[str, Any]) -> str:
    place = f"{origin['kind']} {origin['number']}" if "number" in origin else str(origin["kind"])
    return f"{origin.get('text', '')} on {place}".strip()
