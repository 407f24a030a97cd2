"""Arguments and results are those of the compiled program, before it is compiled."""

import jax
import jaxlib
import pytest

import tessera

NAMES = ("perceptron_megatron", "perceptron_reversed", "adam", "layers_scanned", "transformer_train_step", "experts_top_two",
         "manual_in_scan", "not_divisible")


def is_none(x):
    return x is None


@pytest.mark.parametrize("name", NAMES)
def test_shardings_are_those_of_the_compiled_program(programs, name):
    one = programs[name]
    lowered = one.lower()
    compiled = lowered.compile()
    t = tessera.shard(lowered, reference=jaxlib.__version__)
    # None: an argument that nobody reads, which is no part of the module.
    inputs = jax.tree.leaves(compiled.input_shardings[0], is_leaf=is_none)
    outputs = jax.tree.leaves(compiled.output_shardings)
    compare(one.mesh(), t.args, [s for s in inputs if s is not None])
    compare(one.mesh(), t.results, outputs)


def compare(mesh, tensors, shardings):
    assert len(tensors) == len(shardings)
    for tensor, want in zip(tensors, shardings):
        assert tensor.named_sharding(mesh).is_equivalent_to(want, len(tensor.shape)), f"{tensor.name}: {tensor.spec}, jax has {want}"
        assert tensor.local_shape == want.shard_shape(tensor.shape)


def test_bytes_of_arguments_are_those_of_the_compiled_program(programs):
    lowered = programs["transformer_train_step"].lower()
    stats = lowered.compile().memory_analysis()
    memory = tessera.shard(lowered).memory()
    assert memory.arguments == stats.argument_size_in_bytes
    assert memory.results == stats.output_size_in_bytes


def test_a_traced_program_is_lowered():
    traced = jax.jit(lambda x: x * 2).trace(jax.ShapeDtypeStruct((8, 4), "float32"))
    assert tessera.shard(traced).results[0].shape == (8, 4)


def test_results_have_their_paths():
    t = tessera.shard(jax.jit(lambda x: {"twice": x * 2, "rows": (x.sum(1), None)}).lower(jax.numpy.ones((8, 4))))
    assert [r.op_name for r in t.results] == ["out['rows'][0]", "out['twice']"]
    assert t["out['twice']"].shape == (8, 4)


def test_lines_are_those_of_the_program(programs):
    t = tessera.shard(programs["perceptron_megatron"].lower())
    found = t.find(line="dense_nets.py", op="dot_general")
    assert found and all(tensor.source.startswith("dense_nets.py:") for tensor in found)
    assert t.find(line=found[0].source, op="dot_general")[0] == found[0]


def test_specs_and_meshes_of_jax_are_taken(mlp):
    from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P
    mesh = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    annotate = {"^x$": P("data"), "^w1$": NamedSharding(mesh, P(None, "model")), "^w2$": P(P.UNCONSTRAINED, None)}
    t = tessera.shard(mlp, mesh=mesh, annotate=annotate)
    assert t["h"].sharding == P("data", "model")
    assert t["h"].named_sharding() == NamedSharding(mesh, P("data", "model"))


@pytest.mark.parametrize("what, cure", [
    (lambda f, x: f.lower(x).compile(), "before .compile()"),
    (lambda f, x: f, "lower"),
    (lambda f, x: x, "is no module"),
])
def test_what_is_no_module_says_what_to_give(what, cure):
    with pytest.raises(TypeError, match=cure):
        tessera.shard(what(jax.jit(lambda x: x + 1), jax.numpy.ones(4)))
