"""Without jax, and without numpy, types of the package's own stand for theirs, and print as they do."""

import subprocess
import sys

import tessera

SHOW = """
import sys
for name in sys.argv[3:]: sys.modules[name] = None
import tessera
t = tessera.shard(sys.argv[1], mesh=sys.argv[2], annotate={"^x$": "P('data', None)", "^w1$": "P(None, ('model', 'data'))"})
for name in ("x", "w1", "h", "y"):
    x = t[name]
    print(repr(x.sharding), x.spec == x.sharding.spec, x.sharding.mesh.shape["data"], hash(x.spec) == hash(t[name].spec), repr(x.dtype), x.dtype == "float32")
assert tessera.shard(sys.argv[1], mesh=sys.argv[2], annotate={"^x$": t["x"].sharding, "^w1$": t["w1"].spec})["h"] == t["h"]
print(repr(tessera.tensor.jax_types.dtype("bf16")), tessera.tensor.jax_types.dtype("bf16") == "bfloat16")
"""


def show(mlp, mesh, *absent):
    done = subprocess.run([sys.executable, "-c", SHOW, str(mlp), mesh, *absent], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_they_print_as_those_of_jax(mlp):
    for mesh in ("data=4,model=2", "model=2,data=4"):
        assert show(mlp, mesh, "jax") == show(mlp, mesh) == show(mlp, mesh, "jax", "numpy", "ml_dtypes")


def test_a_module_without_a_mesh(mlp):
    assert repr(tessera.shard(mlp)["x"].sharding) == "NamedSharding(mesh=AbstractMesh((), axis_types=()), spec=P())"
