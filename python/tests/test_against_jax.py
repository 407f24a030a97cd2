"""Arguments and results are those of the compiled program, before it is compiled."""

import enum

import jax
import jaxlib
import pytest

import tessera
from tessera.settings import spec_text

P = jax.sharding.PartitionSpec

NAMES = ("perceptron_megatron", "perceptron_reversed", "adam", "layers_scanned", "transformer_train_step", "experts_top_two",
         "manual_in_scan", "not_divisible")


def is_none(x):
    return x is None


@pytest.mark.parametrize("name", NAMES)
def test_shardings_are_those_of_the_compiled_program(programs, name):
    one = programs[name]
    lowered = one.lower()
    compiled = lowered.compile()
    t = tessera.shard(lowered)
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
    from jax.sharding import AbstractMesh, AxisType, NamedSharding
    mesh = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    annotate = {"^x$": P("data"), "^w1$": NamedSharding(mesh, P(None, "model")), "^w2$": P(P.UNCONSTRAINED, None)}
    t = tessera.shard(mlp, mesh=mesh, annotate=annotate)
    assert t["h"].spec == P("data", "model")
    assert t["h"].sharding == NamedSharding(mesh, P("data", "model"))
    with pytest.warns(DeprecationWarning, match=".sharding is the same"):
        assert t["h"].named_sharding() == t["h"].sharding


def test_a_tensor_is_as_an_array_of_jax(programs):
    one = programs["transformer_train_step"]
    t = tessera.shard(one.lower())
    wants = jax.tree.leaves(one.lower().compile().output_shardings)
    for tensor, want in zip(t.results, wants):
        assert isinstance(tensor.sharding, jax.sharding.NamedSharding) and isinstance(tensor.spec, P)
        assert tensor.sharding.mesh.shape == want.mesh.shape and tensor.sharding.spec == tensor.spec
        assert tensor.sharding.shard_shape(tensor.shape) == tensor.local_shape
        struct = jax.ShapeDtypeStruct(tensor.shape, tensor.dtype, sharding=tensor.sharding)
        assert (struct.shape, struct.dtype, struct.sharding.spec) == (tensor.shape, tensor.dtype, tensor.spec)


@pytest.mark.parametrize("name", ["bool", "int4", "bfloat16", "float8_e4m3fn", "complex64", "uint32"])
def test_a_dtype_is_that_of_numpy(name):
    t = tessera.shard(lambda x: x, jax.ShapeDtypeStruct((8,), name))
    assert t.results[0].dtype == jax.numpy.dtype(name)


def test_the_pass_is_that_of_the_jaxlib_that_lowered(monkeypatch):
    lowered = jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((8, 4), "float32"))
    assert tessera.shard(lowered).reference == jaxlib.__version__
    monkeypatch.setattr(jaxlib, "__version__", "0.10.2")
    old = tessera.shard(lowered)
    assert old.reference == "0.10.2" and "jaxlib" not in old.notes and "0.10.2" in old.record()
    assert tessera.shard(lowered, reference="0.11").reference == "0.11.2"


@pytest.mark.parametrize("version, imitated, note", [
    ("0.99.1", "0.12.0.1", "jaxlib 0.99.1 is newer than 0.12.0.1"),
    ("0.11.2.dev20260101+cuda", "0.11.2", "jaxlib 0.11.2.dev20260101+cuda is no release: taken as 0.11.2"),
])
def test_a_jaxlib_that_no_table_has_is_said(monkeypatch, version, imitated, note):
    monkeypatch.setattr(jaxlib, "__version__", version)
    t = tessera.shard(jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((8, 4), "float32")))
    assert t.reference == imitated and note in t.notes


def test_a_jaxlib_that_cannot_be_imitated_is_an_error(monkeypatch):
    monkeypatch.setattr(jaxlib, "__version__", "0.8.1")
    with pytest.raises(tessera.ShardingError, match="reference '0.8.1' is not supported"):
        tessera.shard(jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((8, 4), "float32")))


class Axis(str, enum.Enum):
    DATA = "data"


@pytest.mark.parametrize("spec, text", [
    (P(("x", "y"), None, P.UNCONSTRAINED), "P(('x', 'y'), None, UNCONSTRAINED)"),
    (P("x", unreduced={"b", "a"}), "P('x', unreduced={'a', 'b'})"),
    (P(unreduced={"a"}, reduced={"b"}), "P(unreduced={'a'}, reduced={'b'})"),
    ((["data"], None), "P(('data',), None)"),
    ((Axis.DATA, (Axis.DATA,)), "P('data', ('data',))"),
])
def test_a_spec_says_all_that_it_holds(spec, text):
    assert spec_text(spec) == text


@pytest.mark.parametrize("entry", [3, ("data", 3), {"data"}, object()])
def test_an_entry_that_is_none_is_no_open_dimension(entry):
    with pytest.raises(TypeError, match="is no entry of a spec: expected None"):
        spec_text((entry, None))


def test_an_unreduced_tensor_keeps_its_spec(mlp):
    options = {"mesh": "data=4,model=2", "annotate": {"^h$": "P('data', None, unreduced={'model'})"}}
    h = tessera.shard(mlp, **options)["h"]
    assert h.unreduced == ("model",)
    assert tessera.shard(mlp, **options | {"annotate": {"^h$": h.sharding}})["h"] == h


def test_results_that_a_maximum_reduces_are_refused():
    kinds = getattr(jax.sharding, "UnreducedKind", None)
    if kinds is not None:  # older jaxes sum, whatever is unreduced
        with pytest.raises(ValueError, match="never reduced by max"):
            spec_text(P(unreduced={"x"}, unreduced_kind=kinds.max))
        assert spec_text(P(unreduced={"x"}, unreduced_kind=kinds.sum)) == "P(unreduced={'x'})"


@pytest.mark.parametrize("what, fix", [
    (lambda f, x: (f,), "a function has no shapes yet"),
    (lambda f, x: (x,), "is no module"),
    (lambda f, x: (f.lower(x), x), "only a function takes arguments"),
])
def test_what_is_no_module_says_what_to_give(what, fix):
    with pytest.raises(TypeError, match=fix):
        tessera.shard(*what(jax.jit(lambda x: x + 1), jax.numpy.ones(4)))
