"""The engine in this process: threads, jax beside it, memory, interrupts, forks."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import tessera
from conftest import REPOSITORY
from tessera.engine import Engine


def chain(length):
    """A module of so many instructions: 40,000 take long enough to be seen."""
    lines = ["HloModule chain", "", "ENTRY e {", "  x0 = f32[64,64] parameter(0)"]
    lines += [f"  x{k} = f32[64,64] add(x{k - 1}, x{k // 2})" for k in range(1, length)]
    return "\n".join([*lines, f"  ROOT r = f32[64,64] tanh(x{length - 1})", "}", ""])


def test_other_threads_run_while_a_question_is_answered():
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    engine = Engine({"m": chain(40000)})
    start = time.perf_counter()
    for _ in range(3):
        engine.ask(["shardings", "m", "--mesh=a=4", "--annotate=^x0$=P('a')", "--json"])
    seconds = time.perf_counter() - start
    counted_meanwhile = counted[0] - before
    stop.set()
    thread.join()
    # With the lock held through a question, the thread would have had the moments between two of them only.
    assert counted_meanwhile > 20000 * seconds


def test_two_threads_ask_one_module_and_each_gets_its_answers(train_step):
    t = tessera.shard(train_step)
    names = [tensor.name for tensor in t.tensors if not tensor.is_result][:40]
    want = {name: str(t.explain(name)) for name in names}
    got = {}

    def ask(some):
        got.update({name: str(t.explain(name)) for name in some})

    threads = [threading.Thread(target=ask, args=(names[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == want


def test_a_module_is_read_once(tmp_path, mlp):
    path = tmp_path / "net.hlo"
    path.write_text(mlp.read_text())
    t = tessera.shard(path, mesh="data=4,model=2", annotate={"^x$": "P('data')"})
    path.unlink()
    assert t.explain("h").origins and t.with_mesh(data=8, model=1)["x"].local_shape == (2, 32)


@pytest.mark.parametrize("first, second", [("jax", "tessera"), ("tessera", "jax")])
def test_jax_and_tessera_in_turns(first, second, mlp):
    program = f"""
import {first}, {second}
import threading
import jax.numpy as jnp

f = jax.jit(lambda x: jnp.tanh(x @ x.T).sum())

def turns():
    for k in range(20):
        assert f(jnp.ones((8 + k % 3, 8))) > 0
        t = tessera.shard(f.lower(jnp.ones((8, 8))))
        assert t.results[0].shape == ()
        try:
            tessera.shard("HloModule m\\nENTRY e {{\\n  ROOT y = f32[2] tanh(q)\\n}}\\n")
        except tessera.ShardingError as error:
            assert error.line == 3
        t = tessera.shard({str(mlp)!r}, mesh="data=4,model=2", annotate={{"^x$": "P('data')"}})
        assert t.memory(fixes=False).arguments and len(t.collectives(formulas=True)) >= 0

turns()
threads = [threading.Thread(target=turns) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_is_given_back(train_step):
    text = train_step.read_text()

    def ask():
        t = tessera.shard(text)
        t.explain("dot_general.67")
        t.collectives(formulas=True)

    for _ in range(30):
        ask()
    gc.collect()
    before = resident()
    for _ in range(200):
        ask()
    gc.collect()
    # One of these holds 2 MB and more.
    assert resident() - before < 40 << 20


INTERRUPTED = """
import os, signal, sys, threading, time
from tessera.engine import Engine
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets programs in the background ignore it
text = open(sys.argv[1]).read()

def ask(engine):
    start = time.perf_counter()
    try:
        engine.ask(["shard", "m", "--mesh=a=4", "--annotate=^x0$=P('a')"])
    except KeyboardInterrupt:
        return "interrupted", time.perf_counter() - start
    return "answered", time.perf_counter() - start

_, whole = ask(Engine({"m": text}))
engine = Engine({"m": text})
threading.Timer(whole / 20, os.kill, (os.getpid(), signal.SIGINT)).start()
what, part = ask(engine)
print(what, part < 0.8 * whole)
engine.ask(["stats", "m"])  # goes on
"""


def test_an_interrupt_ends_the_waiting(tmp_path):
    path = tmp_path / "large.hlo"
    path.write_text(chain(200000))
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "interrupted True\n"), done.stderr


FORKED = """
import os, sys, tessera
t = tessera.shard(sys.argv[1])
child = os.fork()
if child == 0:
    os._exit(0 if str(t.explain("h")) and tessera.shard(sys.argv[1]).tensors == t.tensors else 1)
sys.exit(os.waitpid(child, 0)[1])
"""


def test_a_fork_asks_too(mlp):
    assert subprocess.run([sys.executable, "-c", FORKED, str(mlp)]).returncode == 0


WITH_LITTLE_MEMORY = """
import os, resource, sys, tessera
text = open(sys.argv[1]).read()

def ask(megabytes):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20),) * 2)
    try:
        return 10 if tessera.shard(text, mesh="a=4", annotate={"^x0$": "P('a')"}).memory(fixes=False).total else 1
    except (tessera.ShardingError, MemoryError):
        return 11

for megabytes in (*range(0, 40, 2), 4000):
    child = os.fork()
    if child == 0:
        os._exit(ask(megabytes))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


# Abseil's containers are not safe where an allocation inside them fails, so that some amounts end the process (python/README.md).
def test_little_memory_is_an_exception_or_the_end(tmp_path):
    path = tmp_path / "large.hlo"
    path.write_text(chain(5000))
    done = subprocess.run([sys.executable, "-c", WITH_LITTLE_MEMORY, str(path)], capture_output=True, text=True)
    ends = list(map(int, done.stdout.split()))
    killed = {-signal.SIGSEGV, -signal.SIGABRT}
    assert done.returncode == 0 and {10, 11} <= set(ends) <= {10, 11} | killed and (ends[0], ends[-1]) == (11, 10), (ends, done.stderr)
    assert ends.count(11) > len(ends) / 2, ends


WITHOUT_THREADS = """
import resource, sys, tessera
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (7 << 20),) * 2)  # less than the stack of a thread
t = tessera.shard(sys.argv[1], mesh="data=4,model=2", annotate={"^x$": "P('data')"})
assert t["h"].spec_text == "P('data', None)" and t.memory().arguments
"""


def test_without_room_for_a_thread_the_answer_comes_in_this_one(mlp):
    done = subprocess.run([sys.executable, "-c", WITHOUT_THREADS, str(mlp)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_bytes_that_are_no_text_stay(mlp):
    text = mlp.read_bytes().decode().replace("HloModule", "// \udcff\nHloModule", 1)
    assert "// \udcff\n" in tessera.shard(text).to_hlo()


def test_the_command_is_the_engine(mlp):
    command = pathlib.Path(sys.executable).parent / "tessera"
    if not command.exists():
        pytest.skip("the package is not installed")
    shown = subprocess.run([command, "shardings", str(mlp)], capture_output=True, text=True)
    assert shown.returncode == 0 and shown.stdout.startswith("x: f32[16,32] P()")
    assert subprocess.run([command, "--version"], capture_output=True, text=True).stdout.startswith(f"tessera {tessera.__version__},")
    wrong = subprocess.run([command, "shardings", "nothing.hlo"], capture_output=True, text=True, cwd=REPOSITORY)
    assert wrong.returncode == 2 and "nothing.hlo: No such file" in wrong.stderr
    # A reader that goes away ends it without a word, as any program.
    piped = subprocess.run(f"{command} --help | true", shell=True, capture_output=True, text=True)
    assert piped.stderr == ""
