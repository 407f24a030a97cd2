"""The collectives of a module that XLA's SPMD partitioner has made, as the driver compares them (testing/spmd/spmd_check.h).

    for row in partitioned.rows(text): ...    # {"op": "all-gather", "shape": ["f32[16,8]"], "groups": "[4,2]<=[8]", ..}

Groups are handed on as XLA writes them. Trips of loops are not counted: a level of `nesting` is [kind, instruction].
"""

import dataclasses
import hashlib
import re

COLLECTIVES = {"all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute", "ragged-all-to-all", "reduce-scatter"}
# How an instruction calls a computation, and what the level is.
CALLS = {"body": "loop", "condition": "condition", "to_apply": "call", "true_computation": "branch", "false_computation": "branch"}

COMPUTATION = re.compile(r"(?:ENTRY )?%(\S+) \(.*\{$")
INSTRUCTION = re.compile(r"\s+(ROOT )?%(\S+) = (\(.*?\)|\S+) ([a-z][a-z0-9-]*)\((.*)$")
ARRAY = re.compile(r"[a-z][a-z0-9]*\[[0-9,<=]*\]")
LONG_PAIRS = 64  # more of them are said by number and hash
REDUCERS = re.compile(r"to_apply=%(\S+?)(?:,|$)")


@dataclasses.dataclass
class Instruction:
    name: str
    shape: str
    opcode: str
    rest: str  # operands and attributes
    computation: str


class Module:

    def __init__(self, text):
        self.instructions, self.callers, self.roots = {}, {}, {}
        self.tables = tables(text)
        self.partitions = int(number(text.partition("\n")[0], "num_partitions") or 1)
        current = None
        for line in text.splitlines():
            if found := COMPUTATION.match(line):
                current = found[1]
            elif current and (found := INSTRUCTION.match(line)):
                one = Instruction(found[2], found[3], found[4], found[5], current)
                self.instructions[current, one.name] = one
                if found[1]:
                    self.roots[current] = one
                self.note_calls(one)

    def note_calls(self, one):
        for key, called in re.findall(r"\b(\w+)=%([^\s,}]+)", one.rest):
            if key in CALLS and (key != "to_apply" or one.opcode == "call"):
                self.callers.setdefault(called, (CALLS[key], one))
        for names in re.findall(r"branch_computations=\{([^}]*)\}", one.rest):
            for called in re.findall(r"%([^\s,]+)", names):
                self.callers.setdefault(called, ("branch", one))

    def nesting(self, computation):
        levels = []
        while computation in self.callers:
            kind, one = self.callers[computation]
            levels.insert(0, [kind, one.name])
            computation = one.computation
        return levels

    def operands(self, one):
        """Shapes of the arrays that are handed in."""
        shapes = []
        for name in re.findall(r"%([^\s,()]+)", closed(one.rest)):
            name, *path = name.split("#")
            shape = self.instructions[one.computation, name].shape
            for index in path:
                shape = elements(shape)[int(index)]
            shapes += ARRAY.findall(shape)
        return shapes

    def place(self, frame):
        row = self.tables.get("StackFrames", {}).get(frame, "")
        at = self.tables.get("FileLocations", {}).get(number(row, "file_location_id"), "")
        name = self.tables.get("FileNames", {}).get(number(at, "file_name_id"))
        return f"{name.strip(chr(34))}:{number(at, 'line')}" if name else None


def number(row, key):
    found = re.search(rf"\b{key}=(\d+)", row)
    return found and found[1]


def tables(text):
    """The lists of files, places and frames at the head of the text."""
    found, table = {}, None
    for line in text.splitlines():
        if line in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
            table = found.setdefault(line, {})
        elif line.startswith(("%", "ENTRY")):
            break
        elif table is not None and line[:1].isdigit():
            key, _, value = line.partition(" ")
            table[key] = value
    return found


def closed(text):
    """Up to the parenthesis that closes the operands."""
    depth = 1
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return text[:at]
    return text


def elements(shape):
    """Of a tuple's text, its top-level parts."""
    parts, depth = [""], 0
    for character in shape[1:-1]:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def attribute(text, key, ends):
    found = re.search(rf"\b{key}=(.*?)(?={ends})", text)
    return found and found[1]


def own_place(metadata):
    """Of metadata that has file and line in place of a frame."""
    file, line = re.search(r'source_file="([^"]*)"', metadata), number(metadata, "source_line")
    return f"{file[1]}:{line}" if file and line else None


def pairs_text(pairs):
    text = "{" + ",".join(f"{{{a},{b}}}" for a, b in sorted((int(a), int(b)) for a, b in pairs)) + "}"
    if len(pairs) <= LONG_PAIRS:
        return text
    return f"{len(pairs)} pairs, sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def row(module, one):
    out = {"op": one.opcode, "shape": ARRAY.findall(one.shape), "operands": module.operands(one), "nesting": module.nesting(one.computation)}
    attributes, _, metadata = one.rest.partition(", metadata={")  # names of operations may hold anything
    if groups := attribute(attributes, "replica_groups", r", (?!device_ids)[a-z_]+=|$"):
        everyone = f"[1,{module.partitions}]<=[{module.partitions}]"
        out["groups"] = everyone if groups == "{}" else groups
    if pairs := attribute(attributes, "source_target_pairs", r", [a-z_]+=|$"):
        out["pairs"] = pairs_text(re.findall(r"\{(\d+),(\d+)\}", pairs))
    if dimensions := attribute(attributes, "dimensions", r", [a-z_]+=|$"):
        out["dimensions"] = [int(n) for n in re.findall(r"\d+", dimensions)]
    if (reducer := REDUCERS.search(attributes)) and reducer[1] in module.roots:
        out["reduction"] = module.roots[reducer[1]].opcode
    if name := re.search(r'op_name="((?:[^"\\]|\\.)*)"', metadata):
        out["op_name"] = name[1]
    if place := module.place(number(metadata, "stack_frame_id")) or own_place(metadata):
        out["source"] = place
    if 'is_spmd_generated="true"' not in one.rest:
        out["given"] = True
    return out


def rows(text):
    module = Module(text)
    return [row(module, one) for one in module.instructions.values() if one.opcode in COLLECTIVES]
