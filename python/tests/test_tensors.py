"""Tensors as plain data, without jax."""

import dataclasses
import pickle
import subprocess
import sys

import pytest

import tessera
from tessera.table import short
from tessera.tensor import read_shape

MESH = "data=4,model=2"


def test_a_tensor_has_everything_in_numbers(train_step):
    down = tessera.shard(train_step)["p['blocks']['down']"]
    assert (down.shape, down.dtype, down.type) == ((2, 64, 32), "f32", "f32[2,64,32]")
    assert (down.spec, down.axes) == ("P(None, 'model', None)", ((), ("model",), ()))
    assert (down.local_shape, down.bytes_per_device) == ((2, 16, 32), 4 * 2 * 16 * 32)
    assert down.mesh.axes == (("data", 2), ("model", 4))


def test_arguments_come_by_number_and_results_in_order(train_step):
    t = tessera.shard(train_step)
    assert [a.parameter for a in t.args] == list(range(10))
    assert [r.name for r in t.results] == [f"result{{{k}}}" for k in range(10)]


def test_find(train_step):
    t = tessera.shard(train_step)
    assert {x.source for x in t.find(line="transformers.py:73")} == {"transformers.py:73"}
    assert all("model" in sum(x.axes, ()) for x in t.find(axis="model"))
    assert len(t.find(min_bytes=0)) == len(t)


def test_an_axis_that_is_not_there(train_step, mlp):
    with pytest.raises(tessera.ShardingError, match="axis='nix': the axes are data, model"):
        tessera.shard(train_step).find(axis="nix")
    with pytest.raises(tessera.ShardingError, match="the module has no mesh"):
        tessera.shard(mlp).find(axis="data")


def test_a_name_that_is_not_there_has_the_nearest(train_step):
    t = tessera.shard(train_step)
    with pytest.raises(KeyError) as caught:
        t["dot_gneral.67"]
    assert caught.value.nearest[0] == "dot_general.67"
    assert str(caught.value).startswith("no tensor is named 'dot_gneral.67'; the nearest names are dot_general.67")


# review: front D17
def test_a_number_is_no_name(train_step):
    t = tessera.shard(train_step)
    with pytest.raises(TypeError, match=r"t\[0\]: expected the name of a tensor"):
        t[0]
    assert 0 not in t


SUB_AXIS = """HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\\"x\\"=8]>}"}
ENTRY e {
  x = f32[4,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\\"x\\":(1)2}, {}]>"}
  ROOT y = f32[4,4] tanh(x)
}
"""


def test_part_of_an_axis_is_no_partition_spec():
    t = tessera.shard(SUB_AXIS)
    assert t["x"].axes == (("x:(1)2",), ()) and t["x"].local_shape == (2, 4)
    assert t["x"] in t.find(axis="x")
    with pytest.raises(ValueError, match="PartitionSpec cannot say"):
        t["x"].sharding


def test_tensors_are_a_table(train_step):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(tessera.shard(train_step).tensors)
    assert table.set_index("name").loc["result{8}", "spec"] == "P('model', None)"
    assert not {"mesh", "parameter"} & set(table.columns)
    assert not any(isinstance(cell, dict) for cell in table.iloc[0])


def test_a_tensor_is_short_and_can_be_changed_and_pickled(train_step):
    tensor = tessera.shard(train_step)["p['blocks']['down']"]
    assert repr(tensor) == "<tessera.Tensor p__blocks____down__.1: f32[2,64,32] P(None, 'model', None), 4096 bytes on a device>"
    for same in (dataclasses.replace(tensor, name="w"), pickle.loads(pickle.dumps(tensor))):
        assert (same.parameter, same.mesh) == (0, tensor.mesh) and same.mesh is not None


def test_a_tensor_that_nothing_reached(mlp):
    t = tessera.shard(mlp)
    assert t["x"].spec == "P()" and t["x"].axes == ((), ())
    assert "--annotate" in t.notes and t.notes.strip() in repr(t)


@pytest.mark.parametrize("text, want", [("f32[16,32]", ("f32", (16, 32))), ("pred[]", ("pred", ())), ("s4[<=8,?]", ("s4", (8, -1)))])
def test_shapes(text, want):
    assert read_shape(text) == want


def test_jax_is_not_imported(mlp):
    program = f"import tessera, sys; tessera.shard({str(mlp)!r}).memory(); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_long_notes_are_cut():
    assert short("a\nb\n") == "a\nb"
    assert short("a\nb\nc\nd\ne\n") == "a\nb\nc\nand 2 more lines in t.notes"


def test_html(mlp):
    t = tessera.shard(mlp.read_text().replace("%", ""), mesh=MESH, annotate={"^x$": "P('data')"})
    shown = t._repr_html_()
    assert "<td>P(&#x27;data&#x27;, None)</td>" in shown
    assert "arguments: 3" in shown and "results: 1" in shown
    assert "<td>[4,32]</td>" in shown
