"""The writer of the classes of answers: what a message becomes."""

import runpy

import pytest
import tessera
from conftest import REPOSITORY

WRITER = runpy.run_path(str(REPOSITORY / "python/answer_classes.py"))
MESSAGE = """syntax = "proto2";

// A row
// of two lines.
message RowAnswer {
  // Absent where nobody knows.
  optional int64 from = 1;
  required double seconds = 2;
  optional string name = 3 [(text.if_any) = true];
  optional int64 tries = 4 [default = 3];
  optional bool has_rows = 5 [(text.unwritten) = true];
  repeated string words = 6 [(text.with) = "has_rows"];
  repeated Other others = 7;
}
"""


def test_members():
    ((name, comment, fields),) = WRITER["messages"](MESSAGE)
    assert (name, comment) == ("RowAnswer", "A row of two lines.")
    assert list(WRITER["members"](name, fields)) == [
        "    seconds: float", "    before: int | None = None", '    name: str = ""', "    tries: int = 3", "    words: tuple[str, ...] = ()",
        "    others: tuple[Other, ...] = dataclasses.field(default=(), repr=False)"
    ]
    assert "- before: Absent where nobody knows." in WRITER["docstring"](comment, fields)


def test_a_line_that_is_not_understood():
    with pytest.raises(SystemExit, match="map<string, int64> x = 1;"):
        list(WRITER["messages"]("message M {\n  map<string, int64> x = 1;\n}\n"))


def test_docstrings_go_on_with_the_fields_of_the_message():
    assert tessera.Memory.__doc__.startswith("What one device needs")
    assert "- peak: With --target" in tessera.Memory.__doc__
