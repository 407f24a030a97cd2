"""Many meshes and annotations of one module, ranked: what `tessera.sweep` and `t.sweep` return.

    found = t.sweep(tessera.Grid(meshes=["data=8,model=1", "data=4,model=2"]), by="bytes")
    found.best.mesh, found.column("sent"), found.pareto(), found.to_pandas()
"""

from __future__ import annotations

import json
from typing import Any, Iterable, Sequence

from tessera.answers import Variant
from tessera.rows import Rows

# Of two figures the smaller one is better.
_FIGURES = ("memory", "sent", "seconds")
# What `by=` calls two of them.
_OTHER_NAMES = {"time": "seconds", "bytes": "sent"}


class Sweep(Rows[Variant]):
    """Variants, the best first, those that are refused last. In columns: a Variant is made when it is read; `print` it."""

    def __init__(self, answers: Sequence[dict[str, Any]], by: str, text: str = "") -> None:
        super().__init__(Variant, answers)
        self.by, self._text = by, text.strip()

    @property
    def best(self) -> Variant:
        """The first variant. ValueError where every one is refused."""
        if not self.priced:
            raise ValueError(f"none of {len(self)} variants is possible: {self[0].refused}" if len(self) else "there are no variants")
        return self.priced[0]

    @property
    def priced(self) -> Sweep:
        """Variants with figures, the best first."""
        return self._select(answer for answer in self._answers if "refused" not in answer)

    @property
    def refused(self) -> Sweep:
        """Variants that the pass or the partitioner refuses, with the reason."""
        return self._select(answer for answer in self._answers if "refused" in answer)

    @property
    def distinct(self) -> int:
        """How many variants have answers of their own; the others equal one of these."""
        return len({answer["key"] for answer in self._answers})

    def pareto(self, *figures: str) -> Sweep:
        """Variants that no other one beats in all of these figures: "memory", "sent" (or "bytes"), "seconds" (or "time"). One for each point.

        They are sorted by the first figure.

        Without figures: memory and seconds, or memory and sent where there are no times. ValueError for a figure that the sweep does not have.
        """
        known = [name for name in _FIGURES if any(name in answer for answer in self._answers)]
        given = tuple(_OTHER_NAMES.get(name, name) for name in figures)
        chosen = given or (("memory", "seconds") if "seconds" in known else ("memory", "sent"))
        for name in chosen:
            if name not in known:
                raise ValueError(f"{name!r} is no figure of this sweep: it has {', '.join(known)}")
        points: dict[tuple[Any, ...], dict[str, Any]] = {}
        for answer in self.priced._answers:
            points.setdefault(tuple(answer[name] for name in chosen), answer)
        return self._select(points[point] for point in _front(sorted(points)))

    def __str__(self) -> str:
        return self._text or repr(self)

    def __repr__(self) -> str:
        refused = len(self.refused)
        return f"<tessera.Sweep: {len(self)} variants{f', {refused} refused' if refused else ''}, by {self.by}>"

    def _select(self, answers: Iterable[dict[str, Any]]) -> Sweep:
        return Sweep(list(answers), self.by)


def read_lines(text: str) -> list[dict[str, Any]]:
    """Of sweep_answer.proto, a line for each variant."""
    return [json.loads(line) for line in text.splitlines()]


# Points in ascending order -> those that none before beats.
def _front(points: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    if points and len(points[0]) == 2:  # then one number says it all
        front: list[tuple[Any, ...]] = []
        for point in points:
            if not front or point[1] < front[-1][1]:
                front.append(point)
        return front
    return [point for k, point in enumerate(points) if not any(all(a <= b for a, b in zip(other, point)) for other in points[:k])]
