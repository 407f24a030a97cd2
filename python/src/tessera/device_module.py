"""The module that one device runs, and the tensors of the program that its arrays come from.

    device = t.device_module
    print(device)                               # HLO text
    device["all-reduce.4"].source               # <tessera.Tensor y: ..>
    [x.name for x in device.of("y")]            # ['y', 'all-reduce.4', 'dynamic-slice.10']

The engine's answer is PartitionAnswer of pipeline/schema/partition_answer.proto; an object for an array is made at its first use.
"""

from __future__ import annotations

import dataclasses
import functools
import html
from typing import Any, Iterator, Mapping, Sequence, overload

from tessera.errors import UnknownTensor
from tessera.rows import Rows
from tessera.tensor import Tensor, read_shape
from tessera.tensors import Tensors


class _Attributes:
    """What an array has beside its fields: a type checker takes an InitVar for no attribute."""
    tensors: Tensors | None


@dataclasses.dataclass(frozen=True)
class DeviceTensor(_Attributes):
    """An array that each device computes: an instruction of the per-device module, or one of several arrays of it.

    name: of the instruction, `NAME{K}` for array K of several.
    computation, opcode: where it is, and what makes it: 'main_spmd', 'all-reduce'.
    type: of the array on a device: 'f32[4,16]'. `shape` and `element_type` are its parts.
    value_of: names of the tensors whose shards it is. Several where equal operations of the program became one.
    made_for: names of the tensors to which it is a step: a part of the sum before the all-reduce, an all-gather of an operand.

    `source` is the first of these tensors.
    """
    name: str
    computation: str
    opcode: str
    type: str
    value_of: tuple[str, ...] = ()
    made_for: tuple[str, ...] = ()
    tensors: dataclasses.InitVar[Tensors | None] = None

    def __post_init__(self, tensors: Tensors | None) -> None:
        self.__dict__["tensors"] = tensors

    def __repr__(self) -> str:
        what = f", shards of {', '.join(self.value_of)}" if self.value_of else f", step to {', '.join(self.made_for)}" if self.made_for else ""
        return f"<tessera.DeviceTensor {self.name}: {self.type} {self.opcode}{what}>"

    @property
    def element_type(self) -> str:
        """In the words of HLO: 'f32'."""
        return read_shape(self.type)[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array on a device: (4, 16)."""
        return read_shape(self.type)[1]

    @property
    def sources(self) -> tuple[Tensor, ...]:
        """The tensors of the program that it comes from: those whose shards it is, then those to which it is a step.

        Names that `t.tensors` does not have are left out.
        """
        found = [] if self.tensors is None else [self.tensors.named(name) for name in (*self.value_of, *self.made_for)]
        return tuple(one for one in found if one is not None)

    @property
    def source(self) -> Tensor | None:
        """The first of `sources`. None for what tensors share: constants, tables of offsets and masks, `partition-id`, reducers."""
        return next(iter(self.sources), None)


class DeviceTensors(Rows[DeviceTensor]):
    """Arrays of a device in the order of its program: a sequence of DeviceTensor, in columns."""

    def __init__(self, answers: Sequence[dict[str, Any]], tensors: Tensors) -> None:
        """answers: DeviceTensor of pipeline/schema/partition_answer.proto. tensors: those of the program."""
        super().__init__(DeviceTensor, answers)
        self._tensors = tensors

    @overload
    def __getitem__(self, k: int) -> DeviceTensor: ...

    @overload
    def __getitem__(self, k: slice) -> DeviceTensors: ...

    def __getitem__(self, k: int | slice) -> DeviceTensor | DeviceTensors:
        if isinstance(k, slice):
            return DeviceTensors(self._answers[k], self._tensors)
        one = self._answers[k]
        return DeviceTensor(one["name"], one["computation"], one["opcode"], one["shape"], tuple(one.get("value_of", ())),
                            tuple(one.get("made_for", ())), self._tensors)

    def column(self, name: str) -> list[Any]:
        """The values of one field of all arrays, without an object for an array. AttributeError for no field."""
        return [one["shape"] for one in self._answers] if name == "type" else super().column(name)


class DeviceModule:
    """The module that each device runs (`t.device_module`): its text, and its arrays with the tensors that they come from.

    `device["all-reduce.4"]` is a DeviceTensor; `len`, `in` and iteration are over all arrays. `print` shows the text.
    """

    def __init__(self, answer: Mapping[str, Any], tensors: Tensors) -> None:
        """answer: PartitionAnswer of pipeline/schema/partition_answer.proto. tensors: those of the program."""
        self._answer, self._tensors = answer, tensors

    @property
    def name(self) -> str:
        """Of the module."""
        return str(self._answer["module"])

    @property
    def num_partitions(self) -> int:
        """The devices that run it."""
        return int(self._answer["num_partitions"])

    @property
    def text(self) -> str:
        """HLO text: what `t.partitioned()` returns."""
        return str(self._answer["text"])

    @functools.cached_property
    def tensors(self) -> DeviceTensors:
        """All arrays in the order of the text, without tuples and what takes them apart."""
        return DeviceTensors(self._answer["tensors"], self._tensors)

    def of(self, tensor: str | Tensor) -> DeviceTensors:
        """What a device runs for a tensor of the program, in order: the steps to it, and its shards. UnknownTensor for other names.

        Empty for a tensor that needs no instruction of its own, and for a result: ask for the tensor that is returned.
        """
        name = tensor.name if isinstance(tensor, Tensor) else tensor
        known = self._tensors.named(name)
        if known is None:
            raise UnknownTensor(name, self._tensors.names)
        answers = self._answer["tensors"]
        return DeviceTensors([answers[k] for k in self._numbers_of.get(known.name, ())], self._tensors)

    def __getitem__(self, name: str) -> DeviceTensor:
        """By name. UnknownTensor, a KeyError, for others; TypeError for what is no text."""
        if not isinstance(name, str):
            raise TypeError(f"device_module[{name!r}]: expected the name of an array; device_module.tensors[{name!r}] counts them")
        number = self._numbers.get(name)
        if number is None:
            raise UnknownTensor(name, list(self._numbers))
        return self.tensors[number]

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[DeviceTensor]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<tessera.DeviceModule {self.name}: {len(self)} arrays on each of {self.num_partitions} devices>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.tensors._repr_html_()}"

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {one["name"]: k for k, one in enumerate(self._answer["tensors"])}

    @functools.cached_property
    def _numbers_of(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = {}
        for k, one in enumerate(self._answer["tensors"]):
            for name in dict.fromkeys((*one.get("value_of", ()), *one.get("made_for", ()))):
                numbers.setdefault(name, []).append(k)
        return numbers


