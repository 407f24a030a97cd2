#!/usr/bin/env python3
"""Makes a module small on which tessera and the real pass differ.

    reduce_difference.py big.before.hlo -o small.hlo

Asks testing/reduce for ever smaller modules and both sides about each of them; the real pass runs in one process all the while. A module that the
reference does not take is not interesting. Needs requirements.txt and a built //testing/reduce and //testing:conformance.
"""

import argparse
import pathlib
import re
import socketserver
import subprocess
import sys
import tempfile
import threading

import mutate

HERE = pathlib.Path(__file__).resolve().parent
REDUCE = HERE.parents[1] / "bazel-bin/testing/reduce/reduce"
DRIVER = HERE.parents[1] / "bazel-bin/testing/conformance"


def partitions(text):
    found = re.search(r"num_partitions=(\d+)", text.split("\n", 1)[0])
    return int(found.group(1)) if found else 1


def differs(reference, text, scratch):
    dumps = reference.run_hlo(mutate.without_plain_shardings(text))
    if dumps.error:
        return False
    (scratch / "m.before.hlo").write_text(dumps.before)
    (scratch / "m.after.hlo").write_text(dumps.after)
    return subprocess.run([DRIVER, "--show=0", scratch], stdout=subprocess.DEVNULL).returncode not in (0, 2)


def serve(reference, scratch):
    """A local server that answers, for a path, whether both sides differ there; returns it, started."""

    class Handler(socketserver.StreamRequestHandler):

        def handle(self):
            path = pathlib.Path(self.rfile.readline().decode().strip())
            self.wfile.write(b"1" if differs(reference, path.read_text(), scratch) else b"0")

    server = socketserver.UnixStreamServer(str(scratch / "socket"), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


# What the reducer runs for each candidate; exit status 0 says that it is interesting.
ASK = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
       "s.sendall(sys.argv[2].encode() + b'\\n'); sys.exit(s.recv(1) != b'1')")


def reduce(source, target):
    """True if `target` was written."""
    from real_pass import RealPass
    with RealPass(partitions(source.read_text())) as reference, tempfile.TemporaryDirectory(prefix="reduce_") as folder:
        scratch = pathlib.Path(folder)
        pairs = scratch / "pairs"
        pairs.mkdir()
        server = serve(reference, pairs)
        script = scratch / "ask.py"
        script.write_text(ASK)
        check = f"{sys.executable} {script} {pairs / 'socket'} {{}}"
        done = subprocess.run([REDUCE, source, "-o", target, f"--check={check}"])
        server.shutdown()
        server.server_close()
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    return 0 if reduce(options.module, options.out) else 1


if __name__ == "__main__":
    sys.exit(main())
