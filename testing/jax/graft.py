"""Puts new annotation calls into an HLO module: what JAX could have written between any two instructions.

    text = graft(text, random.Random(3), meshes)      # meshes: {name: [(axis, size)]}, as mutate.meshes_of

After instructions of the entry and of the bodies of loops and branches come constraints, propagation barriers and members of sharding groups;
some of the later uses read the constraint or barrier instead. Elements of the entry's result get result shardings. The module may get a second mesh
over the same devices, which some of the new shardings name. Bodies of manual computations are left alone: their axes are not free.
"""

import re

import annotation

INSTRUCTION = re.compile(r"  (?:ROOT )?%([\w.-]+) = (\w+\[[\d,]*\](?:\{[^}]*\})?) ([\w-]+)\(")
HEAD = re.compile(r"^(?:ENTRY )?%([\w.-]+) \(")
REGION = re.compile(r"(?:body|condition)=%([\w.-]+)")
BRANCHES = re.compile(r"(?:branch_computations=\{([^}]*)\}|(?:true|false)_computation=(%[\w.-]+))")
MESHES_END = re.compile(r"(xla\.sdy\.meshes=\{.*?)\}(?=[,}])")
WHOLE_RESULT = re.compile(r"  ROOT %[\w.-]+ = \(.*?\) tuple\((.*?)\)")


def regions(text):
    """Names of the computations in which annotations mean something."""
    found = set(REGION.findall(text))
    for listed, single in BRANCHES.findall(text):
        found |= {name.strip().lstrip("%") for name in (listed or single).split(",")}
    return found


def second_mesh(text, chance, meshes):
    """Adds a mesh over the same devices with other axes, or in another order."""
    if not meshes or chance.random() > 0.15:
        return text
    devices = annotation.size_of(next(iter(meshes.values())))
    axes, left = [], devices
    while left > 1:
        size = chance.choice([k for k in range(2, left + 1) if left % k == 0])
        axes.append((f"u{len(axes)}", size))
        left //= size
    if not axes:
        return text
    order = ""
    if chance.random() < 0.3:
        ids = list(range(devices))
        chance.shuffle(ids)
        order = f", device_ids=[{', '.join(map(str, ids))}]"
    listed = ", ".join(f'"{name}"={size}' for name, size in axes)
    head, rest = text.split("\n", 1)
    grown = MESHES_END.sub(lambda m: f"{m.group(1)}, other_mesh = #sdy.mesh<[{listed}]{order}>}}", head, count=1)
    if grown != head:
        meshes["other_mesh"] = axes
    return grown + "\n" + rest


class Grafter:
    """Rewrites one computation, line by line."""

    def __init__(self, chance, meshes, density):
        self.chance, self.meshes, self.density = chance, meshes, density
        self.instead = {}  # instruction: the one that later users may read
        self.groups = {}  # shape: number
        self.count = 0

    def name(self, base):
        self.count += 1
        return f"{base}.graft{self.count}"

    def rewire(self, line):
        """Some operands become what was put after them."""
        for old, new in self.instead.items():
            if f"%{old}" in line and self.chance.random() < 0.7:
                line = re.sub(rf"%{re.escape(old)}(?![\w.-])(?! =)", f"%{new}", line)
        return line

    def constraint(self, name, shape, dims):
        mesh = self.chance.choice(sorted(self.meshes))
        text = annotation.sharding(self.chance, mesh, self.meshes[mesh], dims)
        new = self.name(name)
        self.instead[name] = new
        effect = ", custom_call_has_side_effect=true" if "unreduced" in text else ""
        return (f'  %{new} = {shape} custom-call(%{name}), custom_call_target="Sharding"{effect}, '
                f'frontend_attributes={{xla.sdy.sharding="#sdy.sharding_per_value<[{text}]>"}}')

    def barrier(self, name, shape, dims):
        new = self.name(name)
        self.instead[name] = new
        return (f'  %{new} = {shape} custom-call(%{name}), custom_call_target="xla.sdy.PropagationBarrier", '
                f'custom_call_has_side_effect=true, frontend_attributes={{xla.sdy.allowed_direction="{self.chance.randrange(4)} : i32"}}')

    def group(self, name, shape, dims):
        number = self.groups.setdefault(tuple(dims), len(self.groups) + 900)
        return (f'  %{self.name(name)} = () custom-call(%{name}), custom_call_target="xla.sdy.ShardingGroup", '
                f'custom_call_has_side_effect=true, frontend_attributes={{xla.sdy.sharding_group_id="{number} : i64"}}')

    def after(self, line, in_entry):
        found = INSTRUCTION.match(line)
        if not found or "ROOT" in line or self.chance.random() > self.density:
            return []
        name, shape, opcode = found.groups()
        dims = annotation.dims_of(shape)
        if not dims or opcode == "custom-call" and "xla.sdy.GlobalToLocal" in line:
            return []
        kinds = [self.constraint] * 5 + [self.barrier] + [self.group] * (2 if in_entry else 0)
        return [self.chance.choice(kinds)(name, shape, dims)]

    def result_marks(self, line, shapes):
        """Result shardings on elements of the entry's tuple."""
        found = WHOLE_RESULT.match(line)
        if not found:
            return [line]
        before, operands = [], re.findall(r"%[\w.-]+", found.group(1))
        if any("/*" in operand for operand in operands):
            return [line]
        for place, operand in enumerate(operands):
            shape = shapes.get(operand[1:])
            if shape is None or self.chance.random() > 0.2:
                continue
            mesh = self.chance.choice(sorted(self.meshes))
            text = annotation.sharding(self.chance, mesh, self.meshes[mesh], annotation.dims_of(shape))
            new = self.name("result")
            before.append(f'  %{new} = {shape} custom-call({operand}), custom_call_target="xla.sdy.FuncResultSharding", '
                          f'custom_call_has_side_effect=true, frontend_attributes={{xla.sdy.sharding="#sdy.sharding_per_value<[{text}]>"}}')
            operands[place] = f"%{new}"
        listed = found.group(1)
        return before + [line.replace(f"tuple({listed})", f"tuple({', '.join(operands)})")]


def graft(text, chance, meshes):
    text = second_mesh(text, chance, meshes)
    if not meshes:
        return text
    inside = regions(text)
    lines, grafter, in_entry, shapes = [], None, False, {}
    density = chance.choice((0.05, 0.15, 0.4))
    marked = "FuncResultSharding" in text
    for line in text.split("\n"):
        head = HEAD.match(line)
        if head:
            in_entry = line.startswith("ENTRY")
            wanted = in_entry or head.group(1) in inside
            grafter = Grafter(chance, meshes, density) if wanted else None
            shapes = {}
        if head or grafter is None or not line.startswith("  "):
            lines.append(line)
            continue
        line = grafter.rewire(line)
        found = INSTRUCTION.match(line)
        if found:
            shapes[found.group(1)] = found.group(2)
        lines += grafter.result_marks(line, shapes) if in_entry and not marked else [line]
        lines += grafter.after(line, in_entry)
    return "\n".join(lines)
