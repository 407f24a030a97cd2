"""Times reading and writing HLO text: jaxlib and tessera, the same files, the same minute.

    ./bazelw build -c opt //hlo:parser_benchmark
    python3 testing/jax/time_hlo.py dump.hlo [more.hlo ...]

Both sides use one thread and CPU time, the best of several runs. `write` is the unchanged module
(tessera keeps the text, XLA prints its model), `print` is XLA's form on both sides.
"""

import json
import os
import subprocess
import sys
import time

BENCHMARK = os.path.join(os.path.dirname(__file__), "../../bazel-bin/hlo/parser_benchmark")


def best(run, times):
    fastest = float("inf")
    for _ in range(times):
        start = time.thread_time()
        run()
        fastest = min(fastest, time.thread_time() - start)
    return fastest * 1e3


def time_jaxlib(path):
    from jaxlib import _hlo

    with open(path, errors="surrogateescape") as file:
        text = file.read()
    module = _hlo.hlo_module_from_text(text)
    return {
        "parse": best(lambda: _hlo.hlo_module_from_text(text), 5),
        "print": best(module.to_string, 5),
    }


def time_tessera(path):
    environment = dict(os.environ, TESSERA_BENCHMARK_HLO=path)
    command = [BENCHMARK, "--benchmark_format=json", "--benchmark_repetitions=3"]
    out = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    times = {}
    for run in json.loads(out)["benchmarks"]:
        if run["run_type"] == "iteration":
            name = run["run_name"]
            times[name] = min(times.get(name, float("inf")), run["cpu_time"])
            if "memory_per_text" in run:
                times["memory"] = run["memory_per_text"]
    return times


def main(paths):
    print("file, MB | parse ms: jaxlib, tessera, ratio | write ms, ratio | print ms: jaxlib, tessera, ratio | memory/text")
    for path in paths:
        theirs, ours = time_jaxlib(path), time_tessera(path)
        print(
            f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f}"
            f" | {theirs['parse']:.1f}, {ours['parse']:.2f}, {theirs['parse'] / ours['parse']:.1f}"
            f" | {ours['write_unchanged']:.2f}, {theirs['print'] / ours['write_unchanged']:.1f}"
            f" | {theirs['print']:.1f}, {ours['print_xla']:.2f}, {theirs['print'] / ours['print_xla']:.1f}"
            f" | {ours['memory']:.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
