"""The answers to questions about costs and changes: classes of messages.py that print themselves or know more.

Lists of them are tables: `pandas.DataFrame(t.collectives())`. Bytes are those of one device. What the engine leaves out is None.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable

from tessera import messages, table
from tessera.printed import Printed, with_fields

# What the real compiler made of a variant.
SweepCompiled = messages.SuggestedCost


@with_fields
@dataclasses.dataclass(frozen=True)
class CommBill(Printed, messages.CommAnswer):
    """`print` it. Only with a topology: `machine`, the `source` of its numbers, `work`, `instructions` and `unpriced`."""

    def _repr_html_(self) -> str:
        groups = {"in all": (self.total,), "by collective": self.by_op, "by mesh axis": self.by_axis, "by line": self.by_line}
        return "".join(table.sums(title, rows) for title, rows in groups.items())


@with_fields
@dataclasses.dataclass(frozen=True)
class Cost(Printed, messages.CostAnswer):
    """The time of a step on a target; `print` it. Times are in seconds."""

    def _repr_html_(self) -> str:
        sums = {"what bounds it": self.by_bound, "opcode": self.by_op, "line": self.by_line}
        tables = [table.of_columns({what: [one.name for one in rows], "microseconds": [f"{one.seconds * 1e6:,.1f}" for one in rows],
                                    "kernels": [one.count for one in rows]}) for what, rows in sums.items() if rows]
        return f"<p>{self.total_s * 1e6:,.1f} microseconds on {self.target}, {self.exposed_s * 1e6:,.1f} of them waiting for links</p>" + "".join(tables)


@with_fields
@dataclasses.dataclass(frozen=True)
class Lint(Printed, messages.LintAnswer):
    """Findings against budgets; `print` them. False where there is none."""

    def __bool__(self) -> bool:
        return bool(self.findings)

    def _repr_html_(self) -> str:
        rows = self.findings
        return table.of_columns({"severity": [one.severity for one in rows], "what": [one.message for one in rows], "fix": [one.fix for one in rows],
                                 "where": [f"{one.file}:{one.line}" if one.file else one.name for one in rows]})


@with_fields
@dataclasses.dataclass(frozen=True)
class Memory(Printed, messages.MemoryAnswer):
    """What one device needs; `print` it. With a target `total` is the peak that its compiler will report."""

    def _repr_html_(self) -> str:
        return table.memory(self)


@with_fields
@dataclasses.dataclass(frozen=True)
class Variant(messages.SweepAnswer):
    """A mesh with annotations, and what they cost a device."""

    @property
    def annotations(self) -> dict[str, str]:
        """For `t.with_annotations`: pattern -> spec."""
        return _patterns(self.annotate)


@with_fields
@dataclasses.dataclass(frozen=True)
class Suggestion(Printed, messages.SuggestAnswer):
    """Annotations that make the step fastest and fit the memory, as predicted; `print` it.

    python: the P(..) of each argument by its path, and of constraints by their lines, to paste into the program. diff: the suggestion as a
    unified diff of the lowered program, for `patch`; empty where the module's shardings are no xla.sdy attributes.
    """
    python: str = dataclasses.field(default="", repr=False)
    diff: str = dataclasses.field(default="", repr=False, compare=False)  # names the file, which workers have under another name

    @property
    def annotate(self) -> dict[str, str]:
        """For `t.with_mesh(s.mesh).with_annotations(s.annotate)`: pattern -> spec."""
        return _patterns(one.annotate for one in self.annotations)

    def _repr_html_(self) -> str:
        own_mesh = [(f"as the module says, on its mesh {self.own_mesh}", self.on_own_mesh)] if self.on_own_mesh else []
        own = "the module's annotations on this mesh" if own_mesh else "as the module says"
        rows = [*own_mesh, (own, self.own), *((", ".join(one.annotate), one.cost) for one in self.front)]
        return table.of_columns({
            "variant": [name for name, _ in rows],
            "microseconds": [None if cost.seconds is None else f"{cost.seconds * 1e6:,.1f}" for _, cost in rows],
            "memory": [cost.memory for _, cost in rows],
            "sent": [cost.sent for _, cost in rows],
        })


@with_fields
@dataclasses.dataclass(frozen=True)
class Comparison(messages.ComparisonAnswer):
    """What the second module shards otherwise than the first. False where nothing changed; `str()` is the report."""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.changes or self.added or self.gone)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return table.of_text(self.text)


# Split at the last "=P(", as the command does.
def _patterns(annotate: Iterable[str]) -> dict[str, str]:
    parts = (one.rpartition("=P(") for one in annotate)
    return {pattern: f"P({spec}" for pattern, _, spec in parts}
