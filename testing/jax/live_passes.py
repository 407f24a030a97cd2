#!/usr/bin/env python3
"""Compares single passes with those of the reference, on the small programs of sharding/passes/testdata.

    live_passes.py                    every case that can be said in MLIR
    live_passes.py -v                 also what differs, and why a case cannot be compared
    live_passes.py MODULE.hlo [..]    every pass of a run over these modules, from the files of `tessera shard --dump-after=all`

A case has the program before a pass and after it (sharding/passes/text/program_text.h). Both become MLIR; the reference's pass of that name runs on the
first, and what it leaves must be the second, printed by MLIR. Not comparable are passes that only tessera has, errors, and programs with
shard_maps, several meshes or operations that stand in no table here. Needs requirements.txt, and for modules a built //:tessera. Exit status 1 if
anything differs.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir, passmanager

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "sharding/passes/testdata"
TESSERA = ROOT / "bazel-bin/pipeline/tessera"
UNARY = {"negate", "sine", "cosine", "tanh", "abs", "exponential", "sqrt", "sign", "floor"}
BINARY = {"add", "multiply", "divide", "subtract", "maximum", "minimum", "power"}
ELEMENTS = {"f32": "f32", "s32": "i32", "pred": "i1"}
DIRECTION = {"none": "NONE", "forward": "FORWARD", "backward": "BACKWARD", "both": "BOTH"}
SHARDING = r'(?: (\[[^\]]*\])(?: replicated=("[^=]*?"(?=[ ,)]|$)))?(?: unreduced=("[^=]*?"(?=[ ,)]|$)))?)?'
VALUE = re.compile(r"(%[^ ,()\[\]]+)(?: [a-z]\w*\[[\d,]*\])?" + SHARDING)  # dumps have shapes, the kept cases have none
HEADER = re.compile(r"(entry )?([^\s(]+)\((.*)\) \{$")
COPY = re.compile(r"('\d*)*$")  # what marks a copy: ', '2, '3 ..
OP = re.compile(r"(?:(%.*) = )?([a-z-]+)\((.*?)\)(?: -> (.*?))?(?: \{.*\})?$")


class NotComparable(Exception):
    pass


def cases_of(path):
    for part in re.split(r"^=== ", path.read_text(), flags=re.M)[1:]:
        title, rest = part.split("\n", 1)
        hlo, rest = rest.split("--- before\n")
        before, after = rest.split("--- after\n")
        yield title, hlo, before, before if after == "same\n" else after


def values_of(text):
    """[(name, (dims, replicated, unreduced) or None)] of a list of values with their shardings."""
    return [(m[1], (m[2], m[3], m[4]) if m[2] else None) for m in VALUE.finditer(text)]


class Shapes:
    """Types of values by what the HLO of the case says of their instructions."""

    def __init__(self, hlo):
        self.by_name, self.parameters, self.constants, self.lines = {}, {}, {}, {}
        computation = ""
        for line in hlo.splitlines():
            if head := re.match(r"(?:ENTRY )?%?([^\s(]+) (?:\(.*\) -> .* )?\{", line):
                computation = head[1]
            if op := re.match(r"\s*(?:ROOT )?%?(\S+) = (\w+)\[([\d,]*)\]\S* ([a-z-]+)\((.*?)\)", line):
                if op[2] not in ELEMENTS:
                    continue
                self.by_name[op[1]] = self.type_of(op[2], op[3])
                self.lines[op[1]] = line
                if op[4] == "parameter":
                    self.parameters[computation, int(op[5])] = self.type_of(op[2], op[3])
                if op[4] == "constant" and re.fullmatch(r"-?[\d.]+", op[5]):
                    self.constants[op[1]] = float(op[5]) if op[2] == "f32" else int(op[5])

    def attribute(self, name, key):
        """`{1,0}` of `key={1,0}`, as `1, 0`."""
        found = re.search(rf"\b{key}={{([\d,]*)}}", self.lines.get(name, ""))
        return found[1].replace(",", ", ") if found else ""

    @staticmethod
    def type_of(element, dims):
        return "tensor<" + "".join(d + "x" for d in dims.split(",") if d) + ELEMENTS[element] + ">"


class Translator:
    """A program's text as MLIR."""

    def __init__(self, hlo):
        meshes = set(re.findall(r"(?:#sdy\.mesh<|\bmesh)\[([^\]]*)\]", hlo))
        if len(meshes) > 1:
            raise NotComparable("several meshes")
        self.mesh = meshes.pop().replace("'", '"') if meshes else '"a"=2, "b"=2'
        self.shapes = Shapes(hlo)
        self.types = {}
        self.of_functions = set()  # arguments of functions, results of calls: their edges are another op

    def sharding(self, s):
        if s is None:
            return ""
        dims, replicated, unreduced = s
        extra = "".join(f", {name}={{{axes}}}" for name, axes in (("replicated", replicated), ("unreduced", unreduced)) if axes)
        return f"<@mesh, {dims}{extra}>"

    def attribute(self, s):
        return f" {{sdy.sharding = #sdy.sharding{self.sharding(s)}}}" if s else ""

    def per_value(self, s):
        return f" {{sdy.sharding = #sdy.sharding_per_value<[{self.sharding(s)}]>}}" if s else ""

    def name(self, value):
        return "%" + re.sub(r"[^\w#]", "_", value[1:].replace("'", "_q"))

    def type(self, value):
        return self.types[value]

    def module(self, text):
        lines = iter(text.splitlines())
        functions = []
        for line in lines:
            if line.startswith("mesh "):
                continue
            functions.append(self.function(HEADER.match(line), lines))
        return f"module @m {{\n  sdy.mesh @mesh = <[{self.mesh}]>\n" + "".join(functions) + "}\n"

    def function(self, head, lines):
        entry, name, arguments = bool(head[1]), head[2], values_of(head[3])
        original = re.sub(r"_\d+$", "", name)
        for k, (value, _) in enumerate(arguments):
            if (original, k) not in self.shapes.parameters:
                raise NotComparable("a parameter of another element type")
            self.types[value] = self.shapes.parameters[original, k]
            self.of_functions.add(value)
        body, result = self.block(lines)
        values = [v for v, _ in values_of(result[3])]
        results = ", ".join(self.type(v) + (self.attribute(values_of("%x " + s)[0][1]) if s != "none" else "")
                            for v, s in zip(values, (result[4] or "").split(" -> ")))
        formal = ", ".join(f"{self.name(v)}: {self.type(v)}{self.attribute(s)}" for v, s in arguments)
        back = f"    return {', '.join(map(self.name, values))} : {', '.join(map(self.type, values))}\n"
        original = "" if entry else f' attributes {{sdy.original_func_name = "{original}"}}'
        return (f"  func.func {'public @main' if entry else 'private @' + name}({formal}) -> ({results}){original} {{\n"
                + body + back + "  }\n")

    def block(self, lines):
        """The ops up to the return of the block, and that."""
        out = ""
        for line in lines:
            op = OP.match(line.strip())
            if op is None:
                raise NotComparable(f"line '{line}'")
            if op[2] == "return":
                assert next(lines).strip() == "}"
                return out, op
            out += self.op(op, lines)
        raise NotComparable("no return")

    def op(self, op, lines):
        results, kind, inside = values_of(op[1] or ""), op[2], op[3]
        operands = [v for v, _ in values_of(inside)]
        detail = inside.rsplit(", ", 1)[-1]
        if kind == "while":
            return self.loop(results, operands, lines)
        if len(results) > 1:
            raise NotComparable(f"{kind} with several results")
        if kind == "named":
            return self.named(results[0], operands, detail, lines)
        (value, s) = results[0] if results else (None, None)
        names, types = ", ".join(map(self.name, operands)), [self.type(v) for v in operands]
        if value:
            base = COPY.sub("", value[1:])
            self.types[value] = self.shapes.by_name.get(base, types[0] if types else None)
            if self.types[value] is None:
                raise NotComparable("a value of another element type")
            result_type = self.type(value)
        tail = f" : ({', '.join(types)}) -> {self.type(value)}\n" if value else ""
        plain = f"    {self.name(value)} = " if value else "    "
        if kind in UNARY or kind in BINARY:
            return f"{plain}stablehlo.{kind} {names}{self.per_value(s)} : {result_type}\n"
        if kind == "concatenate":
            return f"{plain}stablehlo.concatenate {names}, dim = {self.shapes.attribute(base, 'dimensions')}{self.per_value(s)}{tail}"
        if kind == "compare":
            return f"{plain}stablehlo.compare LT, {names}{self.per_value(s)}{tail}"
        if kind == "transpose":
            return f"{plain}stablehlo.transpose {names}, dims = [{self.shapes.attribute(base, 'dimensions')}]{self.per_value(s)}{tail}"
        if kind == "reshape":
            return f"{plain}stablehlo.reshape {names}{self.per_value(s)}{tail}"
        if kind == "dot":
            both = [[self.shapes.attribute(base, f"{side}_{kind}_dims") for side in ("lhs", "rhs")] for kind in ("batch", "contracting")]
            dims = "".join(f", {word} = [{left}] x [{right}]" for word, (left, right) in zip(("batching_dims", "contracting_dims"), both) if left)
            return f"{plain}stablehlo.dot_general {names}{dims}{self.per_value(s)}{tail}"
        if kind == "constant":
            if base not in self.shapes.constants:
                raise NotComparable("a constant that is no number")
            return f"{plain}sdy.constant{self.per_value(s)} dense<{self.shapes.constants[base]}> : {result_type}\n"
        if kind == "broadcast":
            return f"{plain}stablehlo.broadcast_in_dim {names}, dims = [{self.shapes.attribute(base, 'dimensions')}]{self.per_value(s)}{tail}"
        if kind == "constraint":
            return f"{plain}sdy.sharding_constraint {names} {self.sharding(s)} : {result_type}\n"
        if kind == "reshard":
            return f"{plain}sdy.reshard {names} {self.sharding(s)} : {result_type}\n"
        if kind == "edge":
            if operands[0] in self.of_functions:
                return f"{plain}sdy.func_data_flow_edge {names}{self.per_value(s)} : {result_type}\n"
            return f"{plain}sdy.data_flow_edge {names}{f' sharding={self.sharding(s)}' if s else ''} : {result_type}\n"
        if kind == "group":
            return f"    sdy.sharding_group {names} group_id={detail[3:]} : {types[0]}\n"
        if kind == "barrier":
            return f"{plain}sdy.propagation_barrier {names} allowed_direction={DIRECTION[detail[10:]]}{self.per_value(s)} : {result_type}\n"
        if kind == "call":
            self.of_functions.add(value)
            return f"{plain}call @{detail}({names}){self.per_value(s)}{tail}"
        raise NotComparable(f"op {kind}")

    def named(self, result, operands, callee, lines):
        arguments = values_of(next(lines))
        for (argument, _), operand in zip(arguments, operands):
            self.types[argument] = self.type(operand)
        value, s = result
        base = COPY.sub("", value[1:])
        self.types[value] = self.shapes.by_name[base]
        body, back = self.block(lines)
        values = [v for v, _ in values_of(back[3])]
        def list_of(word, shardings):
            return f" {word}=[{', '.join(map(self.sharding, shardings))}]" if any(shardings) else ""
        formal = ", ".join(f"{self.name(v)}: {self.type(v)}" for v, _ in arguments)
        types = ", ".join(map(self.type, operands))
        return (f'    {self.name(value)} = sdy.named_computation<"{callee}">({", ".join(map(self.name, operands))})'
                f"{list_of('in_shardings', [s for _, s in arguments])}{list_of('out_shardings', [s])} ({formal}) {{\n{body}"
                f"    sdy.return {', '.join(map(self.name, values))} : {', '.join(map(self.type, values))}\n"
                f"    }} : ({types}) -> {self.type(value)}\n")

    def loop(self, results, operands, lines):
        types = [self.type(v) for v in operands]
        regions = []
        for _ in range(2):
            arguments = [v for v, _ in values_of(next(lines))]
            self.types.update(zip(arguments, types))
            body, back = self.block(lines)
            values = [v for v, _ in values_of(back[3])]
            formal = ", ".join(f"{self.name(v)}: {self.type(v)}" for v in arguments)
            regions.append(f"^bb0({formal}):\n{body}    stablehlo.return {', '.join(map(self.name, values))} : "
                           f"{', '.join(map(self.type, values))}\n")
        self.types.update((v, t) for (v, _), t in zip(results, types))
        shardings = [s for _, s in results]
        if any(shardings) and not all(shardings):
            raise NotComparable("a loop of whose results only some have a sharding")
        attribute = f" {{sdy.sharding = #sdy.sharding_per_value<[{', '.join(map(self.sharding, shardings))}]>}}" if all(shardings) else ""
        return (f"    {self.name(results[0][0]).split('#')[0]}:{len(results)} = \"stablehlo.while\"({', '.join(map(self.name, operands))}) "
                f"({{\n{'}, {'.join(regions)}}}){attribute} : ({', '.join(types)}) -> ({', '.join(types)})\n")


# What the reference notes on a constraint that has bound its operand, and on ops that were propagated; the program has it elsewhere.
RULE = re.compile(r" \{sdy\.sharding_rule = #sdy\.op_sharding_rule<[^>]*->[^>]*>\}|, sdy\.sharding_rule = #sdy\.op_sharding_rule<[^>]*->[^>]*>")


ORIGIN = re.compile(r' attributes \{sdy\.original_func_name = "[^"]*"\}')
# Where ours is more than one pass of the reference.
REFERENCE = {"sdy-unflatten-call-graph": "sdy-unflatten-call-graph,symbol-dce"}
# Ours gives the results of functions their shardings already, the reference in the pass after it.
RESULTS = re.compile(r"-> (\(tensor<.*|tensor<\S+) \{$", re.M)


def pass_manager(name):
    """Some passes run on modules, others on functions."""
    try:
        return passmanager.PassManager.parse(f"builtin.module({name})")
    except ValueError:
        return passmanager.PassManager.parse(f"builtin.module(func.func({name}))")


def run(text, passes):
    context = jax_mlir.make_ir_context()
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        if passes:
            pass_manager(passes).run(module.operation)
        return ORIGIN.sub("", RULE.sub("", module.operation.get_asm()))


def compare(name, title, hlo, before, after):
    """Nothing if both agree, else what differs."""
    if "error:" in after or not before or title.startswith("@old"):
        raise NotComparable("an error, or of an older release")
    if hlo.startswith("program"):
        raise NotComparable("program text, whose shapes are not read here")
    theirs = run(Translator(hlo).module(before), REFERENCE.get(name, name))
    ours = run(Translator(hlo).module(after), "")
    if name == "sdy-export-named-computations":
        theirs, ours = RESULTS.sub("", theirs), RESULTS.sub("", ours)
    return "" if theirs == ours else f"reference:\n{theirs}tessera:\n{ours}"


def kept_cases():
    for path in sorted(DATA.glob("sdy-*.txt")):
        for case in cases_of(path):
            yield path.stem, *case


def cases_of_run(module):
    """Each pass of a run with what is there before and after it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [TESSERA, "shard", module, "--stage=pass", f"--dump-after=all:{folder}", "-o", f"{folder}/result"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return
        dumps = sorted(pathlib.Path(folder).glob("*.txt"))
        texts = [dump.read_text() for dump in dumps]
    hlo = pathlib.Path(module).read_text()
    for dump, before, after in zip(dumps[1:], texts, texts[1:]):
        name = dump.name.split(".", 1)[1].removesuffix(".txt")
        if name.startswith("sdy-"):
            yield name, module, hlo, before, after


def main():
    verbose, modules = "-v" in sys.argv[1:], [word for word in sys.argv[1:] if word != "-v"]
    passed = failed = skipped = 0
    for name, title, hlo, before, after in (c for m in modules for c in cases_of_run(m)) if modules else kept_cases():
        try:
            difference = compare(name, title, hlo, before, after)
        except NotComparable as reason:
            skipped += 1
            if verbose:
                print(f"{name}: {title}: not compared: {reason}")
            continue
        passed, failed = passed + (not difference), failed + bool(difference)
        if difference:
            print(f"{name}: {title}: differs" + (f"\n{difference}" if verbose else ""))
    print(f"{skipped} not compared\n{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
