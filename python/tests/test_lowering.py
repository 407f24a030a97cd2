"""Whatever jax makes of a function is taken: the function with its arguments, lowered, exported and compiled."""

import functools

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

import tessera

MESH = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def array(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(MESH, P(*spec)))


def net(x, w):
    h = jax.lax.with_sharding_constraint(x @ w["up"], NamedSharding(MESH, P("data", "model")))
    return {"y": jnp.tanh(h) @ w["down"]}


ARGUMENTS = (array((64, 32), "data", None), {"up": array((32, 64), None, "model"), "down": array((64, 32), "model", None)})


def lowered(f=net):
    return jax.jit(f).trace(*ARGUMENTS).lower(lowering_platforms=("cpu",))


@pytest.mark.parametrize("form", [
    lambda: (net, *ARGUMENTS),
    lambda: (jax.jit(net), *ARGUMENTS),
    lambda: (jax.jit(net).trace(*ARGUMENTS),),
    lambda: (jax.export.export(jax.jit(net), platforms=["cpu"])(*ARGUMENTS),),
])
def test_each_form_has_the_answer_of_the_lowered_program(form):
    want, t = tessera.shard(lowered()), tessera.shard(*form())
    assert t.args.column("op_name") == ["x", "w['down']", "w['up']"] and t.results.column("op_name") == ["out['y']"]
    assert [(one.op_name, one.sharding) for one in t.args + t.results] == [(one.op_name, one.sharding) for one in want.args + want.results]
    assert t.find(match="dot_general").column("spec_text") == want.find(match="dot_general").column("spec_text")
    assert all(source.startswith("test_lowering.py:") for source in map(short, t.find(op="dot_general").column("source")))
    assert t.reference == want.reference


def short(source):
    return source.rpartition("/")[2]


def by_axis_names(x, w):
    return jax.lax.with_sharding_constraint(x @ w, P("data", "model"))


@pytest.mark.parametrize("mesh", ["data=4,model=2", {"data": 4, "model": 2}, MESH])
def test_a_mesh_is_at_hand_when_a_function_is_traced(mesh):
    t = tessera.shard(by_axis_names, jax.ShapeDtypeStruct((8, 4), "float32"), jnp.ones((4, 8)), mesh=mesh)
    assert t.results[0].spec == P("data", "model")


def test_a_function_without_arguments():
    assert tessera.shard(functools.partial(by_axis_names, jnp.ones((8, 4)), jnp.ones((4, 8))), mesh=MESH).results[0].spec == P("data", "model")


def test_a_platform():
    def f(x):
        return jax.lax.platform_dependent(x, tpu=lambda x: jnp.tanh(x), default=lambda x: jnp.sin(x))

    x = jax.ShapeDtypeStruct((8,), "float32")
    assert tessera.shard(f, x, platform="tpu").find(op="tanh") and not tessera.shard(f, x).find(op="tanh")


def test_a_compiled_program_says_what_the_compiler_made(programs):
    one = programs["perceptron_megatron"]
    compiled = one.lower().compile()
    t = tessera.shard(compiled)
    assert t.memory().arguments == compiled.memory_analysis().argument_size_in_bytes
    assert [c.op for c in t.collectives()] == [c.op for c in tessera.shard(one.lower()).collectives()]
    assert "compiled" in repr(t)
    with pytest.raises(tessera.ShardingError, match="the program is compiled"):
        t.tensors
