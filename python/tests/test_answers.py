"""The classes of answers have the fields of the messages in pipeline/schema/*_answer.proto, by name and kind: a member that a class forgets would be
dropped without a word."""

import dataclasses
import re
import typing

import pytest

from conftest import REPOSITORY
from tessera import answers, read_answer

# Classes with other names than their messages.
MESSAGES = {
    "Buffer": "MemoryBuffer", "Collective": "CollectiveEntry", "CommBill": "CommAnswer", "Comparison": "ComparisonAnswer", "Cost": "CostAnswer",
    "Lint": "LintAnswer", "LoopLevel": "CollectiveLevel", "Memory": "MemoryAnswer", "Reshard": "ReshardEntry", "Suggestion": "SuggestAnswer",
    "Variant": "SweepAnswer"
}
# Fields of a class that no message has: what the command prints.
OWN = {("Comparison", "text")}
KINDS = {"string": str, "int32": int, "int64": int, "double": float, "bool": bool}


def messages():
    """name -> {field: (kind, is repeated)}."""
    found = {}
    for path in sorted((REPOSITORY / "pipeline/schema").glob("*_answer.proto")):
        for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", path.read_text(), re.M | re.S):
            fields = re.findall(r"^  (optional|repeated|required) ([\w.]+) (\w+) =", body, re.M)
            found[name] = {read_answer._RENAMED.get(field, field): (kind, label == "repeated") for label, kind, field in fields}
    return found


CLASSES = [name for name, made in vars(answers).items() if dataclasses.is_dataclass(made)]


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_the_fields_of_its_message(name):
    made = getattr(answers, name)
    fields = messages()[MESSAGES.get(name, name)]
    types = typing.get_type_hints(made)
    assert set(types) - {field for owner, field in OWN if owner == name} == set(fields)
    for field, (kind, is_repeated) in fields.items():
        want = KINDS.get(kind) or getattr(answers, next((one for one, message in MESSAGES.items() if message == kind), kind))
        assert types[field] in ((tuple[want, ...],) if is_repeated else (want, typing.Optional[want])), f"{name}.{field}: {types[field]}"
