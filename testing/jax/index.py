"""The table index.tsv of a folder with lists of collectives: of each module its devices, and whether the partitioner refused it.

    index.put(folder / "index.tsv", "adam", 8, "ok")   # replaces the line of adam, or adds one; all others stay
"""

HEADER = "name\tdevices\tstatus"


def start(path):
    """A table without modules."""
    path.write_text(HEADER + "\n")


def put(path, name, devices, status):
    lines = path.read_text().splitlines() if path.exists() else [HEADER]
    line = f"{name}\t{devices}\t{status}"
    known = [at for at, old in enumerate(lines) if old.split("\t")[0] == name and at > 0]
    if known:
        lines[known[0]] = line
    else:
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")
