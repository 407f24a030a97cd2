"""A prediction beside the program that jaxlib's compiler for CPUs made, asked here with eight devices."""

import jax
import pytest

import tessera


@pytest.fixture(scope="module")
def x():
    mesh = jax.make_mesh((len(jax.devices()),), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.ShapeDtypeStruct((64, 32), "float32", sharding=jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data")))


@pytest.fixture(scope="module")
def lowered(x):
    return jax.jit(lambda x: jax.numpy.sum(x * x, axis=0)).lower(x)


def test_verify(lowered):
    made = tessera.shard(lowered).verify(lowered.compile(), "cpu")
    assert made.target == "cpu"
    assert made.arguments.same == 1 and not made.arguments.differ
    assert made.results.same == 1
    assert made.total.predicted_sent == made.total.compiled_sent
    assert made.equal and all(match.verdict == "agrees" for match in made.matches)
    assert str(made).startswith("collectives, and shapes of arguments and results, for cpu agree with the compiled program")


def test_memory_and_time_stand_beside_each_other():
    step = """HloModule m, num_partitions=8
ENTRY main {
  x = f32[16,64] parameter(0), sharding={devices=[1,8]<=[8]}, metadata={op_name="x"}
  ROOT y = f32[16,64] tanh(x), sharding={devices=[1,8]<=[8]}, metadata={op_name="tanh"}
}
"""
    made = """HloModule m, is_scheduled=true, num_partitions=8
ENTRY main_spmd {
  p = f32[16,8]{0,1:T(8,128)} parameter(0), metadata={op_name="x"}
  ROOT r = f32[16,8]{0,1:T(8,128)} tanh(p), metadata={op_name="tanh"}, backend_config={"estimated_cycles":"3000"}
}
"""
    compared = tessera.shard(step).verify(made, "tpu-v5e:2x4")
    rows = {row.name: row for row in compared.measures}
    assert compared.equal and (rows["arguments"].predicted, rows["arguments"].compiled) == (4096, 4096)
    assert (rows["kernels"].compiled, rows["kernels"].compiled_by) == (3000 / 1.5e9, "compiler")
    assert rows["peak"].compiled_by == "module" and "by the compiler's estimates" in str(compared)


def test_what_is_not_compiled(lowered):
    t = tessera.shard(lowered)
    with pytest.raises(tessera.ShardingError, match="expected one that a compiler has finished"):
        t.verify(lowered, "cpu")


def test_confirm_where_a_result_is_left_open(x):
    step = jax.jit(lambda x: (2 * x, jax.numpy.sum(x, axis=0)), out_shardings=(x.sharding, None)).lower(x)
    assert tessera.shard(step).confirm("cpu", cache=False).equal


def test_confirm_compiles_the_layouts_of_the_module(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    step = """HloModule m, entry_computation_layout={(f32[64,32]{0,1})->f32[64,32]{0,1}}, num_partitions=8
ENTRY main {
  x = f32[64,32] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[64,32] tanh(x), sharding={devices=[8,1]<=[8]}
}
"""
    tessera.shard(step).confirm("cpu")
    compiled = next(tmp_path.rglob("compiled.hlo")).read_text()
    assert "entry_computation_layout={(f32[8,32]{0,1})->f32[8,32]{0,1}}" in compiled


def test_confirm_without_a_compiler(lowered):
    with pytest.raises(tessera.ShardingError, match="No such file or directory"):
        tessera.shard(lowered).confirm("cpu", python="/no/such/python")
    with pytest.raises(ValueError, match="as it is"):
        tessera.shard(lowered, mesh={"data": len(jax.devices())}).confirm("cpu")
