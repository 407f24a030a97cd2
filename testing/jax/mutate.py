"""Changes the annotations of an HLO module by seed: what JAX never writes, but HLO allows.

    text = mutate(text, seed=3)

Each `xla.sdy.sharding` of a parameter, constraint or result may lose, gain, open, close, split or prioritise axes; bare entry parameters may
get one; axes of a mesh may be resized within the same number of devices. Every second module also gets new annotation calls (graft.py).
"""

import random
import re

import annotation
import graft

ATTRIBUTE = re.compile(r'xla\.sdy\.sharding="(#sdy\.sharding(?:_per_value)?<.*?>)"(?=[,}])')
ONE = re.compile(r"<@(\w+), (\[.*?\])((?:, \w+=\{.*?\})*)>")
MESHES = re.compile(r"(\w+) = #sdy\.mesh<\[(.*?)\]")
AXIS = re.compile(r'"(\w+)\\?"=(\d+)')


def meshes_of(text):
    """{mesh name: [(axis, size)]} of the module line."""
    head = text.split("\n", 1)[0]
    return {name: [(axis, int(size)) for axis, size in AXIS.findall(body)] for name, body in MESHES.findall(head)}


def shape_of(line):
    found = re.search(r"= (?:\(?)\w+\[([\d,]*)\]", line)
    return [int(d) for d in found.group(1).split(",") if d] if found else None


def mutate_line(line, chance, meshes):
    shape = shape_of(line)
    if shape is None or "sharding_per_value" in line and line.count("<@") != 1:
        return line

    def replace(found):
        mesh = found.group(1)
        if mesh not in meshes or found.group(2).count("{") != len(shape) or chance.random() < 0.5:
            return found.group(0)
        return annotation.sharding(chance, mesh, meshes[mesh], shape)
    return ATTRIBUTE.sub(lambda a: a.group(0).replace(a.group(1), ONE.sub(replace, a.group(1))), line)


def annotate_bare(line, chance, meshes):
    """Gives an entry parameter without a sharding one."""
    if " parameter(" not in line or "sdy.sharding" in line or chance.random() < 0.6:
        return line
    shape = shape_of(line)
    if not shape or "(" in line.split(" = ")[1].split("[")[0] or not meshes:
        return line
    mesh = chance.choice(sorted(meshes))
    text = annotation.sharding(chance, mesh, meshes[mesh], shape)
    attribute = f'xla.sdy.sharding="#sdy.sharding{text}"'
    if "frontend_attributes={" in line:
        return line.replace("frontend_attributes={", f"frontend_attributes={{{attribute},", 1)
    return re.sub(r"parameter\(\d+\)", lambda p: f"{p.group(0)}, frontend_attributes={{{attribute}}}", line, count=1)


def resize(text, chance, meshes):
    """Swaps the sizes of two axes of every mesh; only where no collective names devices."""
    if any(word in text for word in ("replica_groups", "source_target_pairs", "manual_computation")):
        return text
    for name, axes in meshes.items():
        if len(axes) < 2 or chance.random() < 0.7:
            continue
        sizes = [size for _, size in axes]
        chance.shuffle(sizes)
        head, line = text.split("\n", 1)
        for (axis, old), new in zip(axes, sizes):
            head = re.sub(rf'("{axis}\\?"=){old}\b', rf"\g<1>{new}", head)
        text = head + "\n" + line
        meshes[name] = [(axis, new) for (axis, _), new in zip(axes, sizes)]
    return text


def without_plain_shardings(text):
    """Beside sdy attributes they mean nothing to the pass, and can make the compiler take the older one."""
    return re.sub(r", sharding=\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", "", text)


def mutate(text, seed):
    chance = random.Random(seed)
    meshes = meshes_of(text)
    text = resize(text, chance, meshes)
    if seed % 2:
        text = graft.graft(text, chance, meshes)
    in_entry, lines = False, []
    for line in text.split("\n"):
        in_entry = line.startswith("ENTRY") or (in_entry and line != "}")
        line = mutate_line(line, chance, meshes)
        lines.append(annotate_bare(line, chance, meshes) if in_entry else line)
    return without_plain_shardings("\n".join(lines))
