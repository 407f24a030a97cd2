"""The answers to questions about costs and changes: dataclasses with the fields of the engine's JSON (pipeline/schema/*_answer.proto).

Lists of them are tables: `pandas.DataFrame(t.collectives())`. Bytes are those of one device. What the engine leaves out is None.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable

from tessera import table
from tessera.printed import Printed


@dataclasses.dataclass(frozen=True)
class LoopLevel:
    """A loop, condition, branch or call around a collective; `runs` where the trip count is known."""
    kind: str
    instruction: str
    runs: int | None = None


@dataclasses.dataclass(frozen=True)
class CollectivePart:
    """An array of a collective that a target runs; sources: instructions of the partitioned module, and locations their lines."""
    shape: str
    sources: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class CollectiveBetween:
    """What the schedule puts between start and done; parameters, constants, tuples, their elements and bitcasts do not count."""
    instructions: int
    products: int
    collectives: int


@dataclasses.dataclass(frozen=True)
class Collective:
    """One collective of the partitioned program.

    sent: bytes that each device sends, once; runs: how often.
    shape, operands: on a device. axes: of the mesh; () where the devices are no axes.
    consumer, producer: the instruction that asked for it, the one whose value is moved.
    given: the program's own, not inserted.
    parts, made_by: on a target, each array that it moves; the pass that made it.
    synchronous, form, begin, end, between: of one that stands in a module of one device; on a target the first two, predicted.
    bytes_formula, seconds_once, time_formula, why_unknown: with `formulas`.
    """
    op: str
    shape: str
    sent: int
    runs: int
    operands: tuple[str, ...] = ()
    devices: str = ""
    group_size: int | None = None
    axes: tuple[str, ...] = ()
    dimensions: tuple[int, ...] = ()
    reduction: str = ""
    unknown_runs: bool = False
    nesting: tuple[LoopLevel, ...] = ()
    consumer: str = ""
    producer: str = ""
    op_name: str = ""
    location: str = ""
    given: bool = False
    parts: tuple[CollectivePart, ...] = ()
    made_by: str = ""
    synchronous: bool | None = None
    form: str = ""
    begin: str = ""
    end: str = ""
    between: CollectiveBetween = CollectiveBetween(0, 0, 0)
    bytes_formula: str = ""
    seconds_once: float | None = None
    time_formula: str = ""
    why_unknown: str = ""


@dataclasses.dataclass(frozen=True)
class CommSum:
    """`sent` in all runs; `seconds` only with a topology."""
    count: int
    sent: int
    name: str = ""
    seconds: float | None = None
    without_time: int = 0


@dataclasses.dataclass(frozen=True)
class CommLine:
    """The bill of one collective, with the formulas; `why_unknown` where there is no time."""
    op: str
    shape: str
    sent: int
    runs: int
    axes: str = ""
    bytes_formula: str = ""
    unknown_runs: bool = False
    seconds_once: float | None = None
    time_formula: str = ""
    why_unknown: str = ""
    consumer: str = ""
    op_name: str = ""
    location: str = ""


@dataclasses.dataclass(frozen=True)
class CommWork:
    """What a device computes: arithmetic of dots and convolutions, and bytes read and written."""
    flops: float = 0
    bytes: float = 0
    seconds: float = 0


@dataclasses.dataclass(frozen=True)
class CommInstruction:
    """The work of one instruction; bound: the slower of the two, arithmetic or memory."""
    name: str
    work_once: CommWork
    runs: float = 1
    bound: str = ""
    op_name: str = ""
    location: str = ""


@dataclasses.dataclass(frozen=True)
class CommUnpriced:
    """An operation whose time is not known, at least in part. target: of a custom call."""
    name: str
    target: str = ""
    why: str = ""


@dataclasses.dataclass(frozen=True)
class CommBill(Printed):
    """`print` it. Only with a topology: `machine`, the `source` of its numbers, `work`, `instructions` (the slowest first) and `unpriced`.

    counted_once: collectives in loops of unknown length.
    """
    total: CommSum
    by_op: tuple[CommSum, ...] = ()
    by_axis: tuple[CommSum, ...] = ()
    by_line: tuple[CommSum, ...] = dataclasses.field(default=(), repr=False)
    collectives: tuple[CommLine, ...] = dataclasses.field(default=(), repr=False)
    machine: str = ""
    source: str = ""
    counted_once: int = 0
    work: CommWork | None = None
    instructions: tuple[CommInstruction, ...] = dataclasses.field(default=(), repr=False)
    unpriced: tuple[CommUnpriced, ...] = dataclasses.field(default=(), repr=False)

    def _repr_html_(self) -> str:
        groups = {"in all": (self.total,), "by collective": self.by_op, "by mesh axis": self.by_axis, "by line": self.by_line}
        return "".join(table.sums(title, rows) for title, rows in groups.items())


@dataclasses.dataclass(frozen=True)
class CostSum:
    """Seconds of kernels and of what the device waits for; count: kernels and collectives in the text of the program."""
    name: str
    count: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class CostAxis:
    """The collectives along one mesh axis: bytes that each device sends, seconds of the links, seconds that the device waits."""
    name: str
    count: int
    sent: int
    links_s: float
    exposed_s: float


@dataclasses.dataclass(frozen=True)
class CostCollective:
    """One collective. sent, seconds_once: of one run; links_s, exposed_s: of all runs. asynchronous: kernels may run meanwhile."""
    op: str
    shape: str
    axes: str = ""
    sent: int = 0
    runs: float = 1
    seconds_once: float | None = None
    links_s: float = 0
    exposed_s: float = 0
    asynchronous: bool = False
    formula: str = ""
    why_unknown: str = ""
    op_name: str = ""
    location: str = ""


@dataclasses.dataclass(frozen=True)
class CostKernel:
    """One kernel: the fusion, or the instruction whose result it writes. bound: what takes longest in it. stated_s: one run, by the compiler of a TPU."""
    name: str
    kind: str = ""
    op_name: str = ""
    location: str = ""
    runs: float = 1
    seconds_once: float | None = None
    seconds: float | None = None
    flops_once: float = 0
    bytes_once: float = 0
    bound: str = ""
    stated_s: float | None = None


@dataclasses.dataclass(frozen=True)
class CostMeasured:
    """A line or an instruction of a step, as predicted and as a profile has it. count: kernels and collectives of the program."""
    name: str
    count: int = 0
    predicted_s: float = 0
    measured_s: float = 0


@dataclasses.dataclass(frozen=True)
class CostAgainst:
    """The prediction beside a profile, of what the profile has: seconds of one step.

    runs: of the program, on all devices together. factor: by which a kernel is wrong, 1 is exact. not_measured: kernels and collectives without events.
    """
    runs: float = 0
    predicted_s: float = 0
    measured_s: float = 0
    factor: float = 1
    not_measured: int = 0
    not_measured_s: float = 0
    by_line: tuple[CostMeasured, ...] = dataclasses.field(default=(), repr=False)
    each: tuple[CostMeasured, ...] = dataclasses.field(default=(), repr=False)


@dataclasses.dataclass(frozen=True)
class Cost(Printed):
    """The time of a step on a target; `print` it. Times are in seconds.

    total_s = device_s (it computes) + exposed_s (it waits for its links). links_s: its links work. least_s, most_s: if all overlaps, if nothing does.
    matrix_units_s, memory_s: these are at work. flops, bytes: of products; read and written. memory: the peak in bytes.
    unknown: kernels without a time, which count as none. against: beside a profile (`tessera cost --against`).
    """
    target: str
    total_s: float
    device_s: float = 0
    links_s: float = 0
    exposed_s: float = 0
    least_s: float = 0
    most_s: float = 0
    sent: int = 0
    is_final: bool = False
    matrix_units_s: float = 0
    memory_s: float = 0
    flops: float = 0
    bytes: float = 0
    peak_flops_per_s: float | None = None
    memory: int | None = None
    memory_of_device: int | None = None
    unknown: tuple[str, ...] = ()
    collectives_without_time: int = 0
    loops_counted_once: int = 0
    by_bound: tuple[CostSum, ...] = dataclasses.field(default=(), repr=False)
    by_op: tuple[CostSum, ...] = dataclasses.field(default=(), repr=False)
    by_line: tuple[CostSum, ...] = dataclasses.field(default=(), repr=False)
    by_axis: tuple[CostAxis, ...] = dataclasses.field(default=(), repr=False)
    collectives: tuple[CostCollective, ...] = dataclasses.field(default=(), repr=False)
    kernels: tuple[CostKernel, ...] = dataclasses.field(default=(), repr=False)
    against: CostAgainst | None = None

    def _repr_html_(self) -> str:
        sums = {"what bounds it": self.by_bound, "opcode": self.by_op, "line": self.by_line}
        tables = [table.of_columns({what: [one.name for one in rows], "microseconds": [f"{one.seconds * 1e6:,.1f}" for one in rows],
                                    "kernels": [one.count for one in rows]}) for what, rows in sums.items() if rows]
        return f"<p>{self.total_s * 1e6:,.1f} microseconds on {self.target}, {self.exposed_s * 1e6:,.1f} of them waiting for links</p>" + "".join(tables)


@dataclasses.dataclass(frozen=True)
class LintFinding:
    """rule: as docs/ci.md lists them. severity: error, above a budget of the project; warning, above a default. amount: bytes, or a factor."""
    rule: str
    severity: str
    name: str
    message: str
    fix: str = ""
    file: str = ""
    line: int | None = None
    amount: float | None = None


@dataclasses.dataclass(frozen=True)
class Lint(Printed):
    """Findings against budgets, errors first; `print` them. False where there is none."""
    findings: tuple[LintFinding, ...] = ()
    errors: int = 0
    warnings: int = 0

    def __bool__(self) -> bool:
        return bool(self.findings)

    def _repr_html_(self) -> str:
        rows = self.findings
        return table.of_columns({"severity": [one.severity for one in rows], "what": [one.message for one in rows], "fix": [one.fix for one in rows],
                                 "where": [f"{one.file}:{one.line}" if one.file else one.name for one in rows]})


@dataclasses.dataclass(frozen=True)
class ReshardCost:
    """Of the whole program: bytes that a device sends, and bytes that it needs."""
    sent: int
    memory: int


@dataclasses.dataclass(frozen=True)
class ReshardCure:
    """Annotations, in words, that together remove a reshard; `after`: the program with them."""
    annotations: tuple[str, ...]
    after: ReshardCost


@dataclasses.dataclass(frozen=True)
class ReshardCollective:
    """One of the collectives by which a value moves; sent: bytes by each device, in one of its runs."""
    op: str
    shape: str
    sent: int
    runs: int
    axes: str = ""


@dataclasses.dataclass(frozen=True)
class FinalReshardCollective:
    """An array of a collective that a target finally runs; sent: the reshard's share, by each device, in one of its runs.

    alike: so many are equal. arrays: of the collective, with those of other reshards. made_by: the pass of the target; "": the partitioner.
    """
    op: str
    shape: str
    axes: str
    sent: int
    runs: int
    alike: int
    arrays: int
    made_by: str = ""


@dataclasses.dataclass(frozen=True)
class Reshard:
    """A value that moves because an operation needs it in another sharding.

    kind: explicit (the program asks for it), implied (an operation needs its operand so), result (an operation makes it otherwise
    than it shall lie), border (of a loop, a branch or the program).
    value, consumer: what moves, who needs it. shape: of the whole value. before, after: its specs; "" where they cannot be said.
    sent: bytes by each device, once; total: of all `alike`, in all runs of loops.
    location: the user's own line; library_location: where it leads in a library.
    cures: tried annotations, the best first.
    final_total, final_collectives: with a target, the bytes that it finally sends in all runs, and by what.
    """
    kind: str
    sent: int
    total: int
    alike: int
    value: str = ""
    shape: str = ""
    before: str = ""
    after: str = ""
    consumer: str = ""
    op_name: str = ""
    location: str = ""
    library_location: str = ""
    unknown_runs: bool = False
    collectives: tuple[ReshardCollective, ...] = ()
    cures: tuple[ReshardCure, ...] = ()
    final_total: int | None = None
    final_collectives: tuple[FinalReshardCollective, ...] = ()


@dataclasses.dataclass(frozen=True)
class MemoryCure:
    """Annotations, in words, that together lower what a device needs; `total`, `sent`: bytes of the whole program with them."""
    annotations: tuple[str, ...]
    total: int
    sent: int


@dataclasses.dataclass(frozen=True)
class Buffer:
    """An array on the device. `padding`, `better_shape` (a layout in which it takes `better_bytes`) only with `hardware`.

    inside: the loop, call or branch in which it is alive. sharding: its spec; "" where it cannot be said.
    cures: tried annotations, the best first; on the first of those that look alike.
    """
    name: str
    shape: str
    bytes: int
    op_name: str = ""
    location: str = ""
    sharding: str = ""
    inside: str = ""
    padding: int = 0
    better_shape: str = ""
    better_bytes: int = 0
    cures: tuple[MemoryCure, ...] = ()


@dataclasses.dataclass(frozen=True)
class OtherMemory:
    """A memory beside the main one, such as VMEM; `space` is its number in the layouts. `bytes` at its peak, an estimate; `temporaries` is the part of
    them that does not stay for the whole program."""
    space: int
    name: str
    bytes: int
    peak_at: str = ""
    temporaries: int = 0


@dataclasses.dataclass(frozen=True)
class PeakBand:
    """Between what the compiler's peak was in `within` of `programs` that were measured, applied to this one."""
    low: int
    high: int
    programs: int = 0
    within: int = 0


@dataclasses.dataclass(frozen=True)
class MemoryPoint:
    """All memory while one instruction of the entry runs; of a loop at its own peak, with the kernels in it, each once."""
    name: str
    bytes: int
    kernels: int = 1


@dataclasses.dataclass(frozen=True)
class PeakArray:
    """An array of a PeakFinding, by its name in the program of one device; op_name of an argument is its path."""
    name: str
    op_name: str = ""
    location: str = ""


@dataclasses.dataclass(frozen=True)
class PeakFinding:
    """A change without another sharding that lowers the peak to `peak`, tried; `bytes` of all arrays, `shape` of the first.

    kind: donate (arguments), or recompute (arrays that the forward pass makes for the backward pass: at best).
    """
    kind: str
    arrays: tuple[PeakArray, ...]
    shape: str
    bytes: int
    peak: int


@dataclasses.dataclass(frozen=True)
class Memory(Printed):
    """What one device needs; `print` it. `temporaries` is an estimate, the rest exact. `limit` and `fits` only with a limit.

    Of a program that a compiler has finished `temporaries` follows its schedule, and `others` has its other memories.

    With a target `peak`, `band`, `verdict` (fits, does_not_fit, too_close) and `curve` say what its compiler will report; `total` is the peak.
    wider_for: patterns of the program for which the band is wider than usual. findings: what would lower the peak without another sharding.

    constants: arrays of the program. sent: bytes that each device sends, what cures are compared with; tried: annotations. Both only with cures.
    """
    arguments: int
    results: int
    aliased: int
    constants: int
    temporaries: int
    total: int
    peak_at: str = ""
    at_peak: tuple[Buffer, ...] = dataclasses.field(default=(), repr=False)
    argument_list: tuple[Buffer, ...] = dataclasses.field(default=(), repr=False)
    limit: int | None = None
    fits: bool | None = None
    sent: int | None = None
    tried: int = 0
    others: tuple[OtherMemory, ...] = dataclasses.field(default=(), repr=False)
    peak: int | None = None
    band: PeakBand | None = None
    verdict: str | None = None
    wider_for: tuple[str, ...] = ()
    curve: tuple[MemoryPoint, ...] = dataclasses.field(default=(), repr=False)
    findings: tuple[PeakFinding, ...] = dataclasses.field(default=(), repr=False)

    def _repr_html_(self) -> str:
        return table.memory(self)


@dataclasses.dataclass(frozen=True)
class SweepCompiled:
    """What the real compiler made of a variant: its peak and the cycles that it states; members as of Variant."""
    refused: str | None = None
    memory: int | None = None
    sent: int | None = None
    collectives: int | None = None
    seconds: float | None = None
    device_seconds: float | None = None
    network_seconds: float | None = None
    without_time: int = 0
    counted_once: int = 0
    unpriced: int = 0


@dataclasses.dataclass(frozen=True)
class Variant:
    """A mesh with annotations, and what they cost a device.

    variant: its number in the grid. mesh: None for the module's own. annotate: as --annotate reads them; `annotations` is a dict.
    refused: why there are no figures. memory, sent: bytes.
    seconds: of a step; without_time, unpriced, counted_once: collectives and operations that it leaves out, and loops of unknown length.
    key: equal for variants with the same answer. compiled: of the best ones with `tessera sweep --confirm=N`.
    """
    variant: int
    mesh: str | None = None
    annotate: tuple[str, ...] = ()
    refused: str | None = None
    memory: int | None = None
    sent: int | None = None
    collectives: int | None = None
    seconds: float | None = None
    device_seconds: float | None = None
    network_seconds: float | None = None
    without_time: int = 0
    counted_once: int = 0
    unpriced: int = 0
    key: str = ""
    compiled: SweepCompiled | None = None

    @property
    def annotations(self) -> dict[str, str]:
        """For `t.with_annotations`: pattern -> spec."""
        return _patterns(self.annotate)


@dataclasses.dataclass(frozen=True)
class SuggestedCost:
    """What a variant costs a device: as of Variant."""
    refused: str | None = None
    memory: int | None = None
    sent: int | None = None
    collectives: int | None = None
    seconds: float | None = None
    device_seconds: float | None = None
    network_seconds: float | None = None
    without_time: int = 0
    counted_once: int = 0
    unpriced: int = 0


@dataclasses.dataclass(frozen=True)
class SuggestedAnnotation:
    """annotate: as --annotate reads it. arguments, bytes: those that it is of, unsharded. without: all annotations but this one.

    Of constraints there are no arguments, but constraints: their number. place: the lines of the program that make them; now: their spec,
    or made_by: the operation that makes tensors which have none now.
    """
    annotate: str
    arguments: int
    bytes: int
    without: SuggestedCost
    constraints: int = 0
    place: str = ""
    now: str = ""
    made_by: str = ""


@dataclasses.dataclass(frozen=True)
class SuggestedVariant:
    """Annotations that were tried, and what they cost."""
    annotate: tuple[str, ...]
    cost: SuggestedCost


@dataclasses.dataclass(frozen=True)
class ConfirmedVariant:
    """A variant beside what the real compiler made of it."""
    what: str
    predicted: SuggestedCost
    compiled: SuggestedCost


@dataclasses.dataclass(frozen=True)
class Suggestion(Printed):
    """Annotations that make the step fastest and fit the memory, as predicted; `print` it.

    own, found: the module's own annotations, and those that were found. front: no tried variant beats one of these in memory and time.
    own_mesh, on_own_mesh: with devices=N, the mesh of a module of N devices, and what it costs there as it is.
    tries: variants. donated: results that take the sharding of the donated argument whose place they take.
    python: the P(..) of each argument by its path, and of constraints by their lines, to paste into the program. diff: the suggestion as a
    unified diff of the lowered program, for `patch`; empty where the module's shardings are no xla.sdy attributes.
    """
    topology: str
    mesh: str
    tries: int
    own: SuggestedCost
    found: SuggestedCost
    limit: int | None = None
    annotations: tuple[SuggestedAnnotation, ...] = ()
    front: tuple[SuggestedVariant, ...] = dataclasses.field(default=(), repr=False)
    donated: int = 0
    meshes: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    confirmed: tuple[ConfirmedVariant, ...] = dataclasses.field(default=(), repr=False)
    python: str = dataclasses.field(default="", repr=False)
    own_mesh: str | None = None
    on_own_mesh: SuggestedCost | None = None
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


# Split at the last "=P(", as the command does.
def _patterns(annotate: Iterable[str]) -> dict[str, str]:
    parts = (one.rpartition("=P(") for one in annotate)
    return {pattern: f"P({spec}" for pattern, _, spec in parts}


@dataclasses.dataclass(frozen=True)
class RecordedTensor:
    """A tensor as a golden file has it."""
    name: str
    shape: str
    sharding: str
    bytes_per_device: int
    op_name: str = ""
    source: str = ""


@dataclasses.dataclass(frozen=True)
class AxisChange:
    """kind: lost, gained, moved, reordered, device. axis: as in a spec, 'model' in quotes. `before`, `after`: dimensions; -1 for an unreduced axis."""
    kind: str
    axis: str
    before: int | None = None
    after: int | None = None


@dataclasses.dataclass(frozen=True)
class TensorChange:
    """No axes where only the shape changed."""
    before: RecordedTensor
    after: RecordedTensor
    axes: tuple[AxisChange, ...] = ()


@dataclasses.dataclass(frozen=True)
class ByteSum:
    """Bytes of a device: of arguments, results or other tensors, in two modules."""
    what: str
    before: int = 0
    after: int = 0


@dataclasses.dataclass(frozen=True)
class ChangeCause:
    """The first tensor on the way of an axis of which two modules disagree. kind: of the refusal of a lost axis, else annotation or flow."""
    tensor: str
    axis: AxisChange
    kind: str
    message: str
    followers: int = 0


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What the second module shards otherwise than the first. False where nothing changed; `str()` is the report."""
    changes: tuple[TensorChange, ...] = ()
    added: tuple[RecordedTensor, ...] = ()
    gone: tuple[RecordedTensor, ...] = ()
    same: int = 0
    sums: tuple[ByteSum, ...] = ()
    mesh_before: str = ""
    mesh_after: str = ""
    causes: tuple[ChangeCause, ...] = ()
    left_out: int = 0
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.changes or self.added or self.gone)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return table.of_text(self.text)
