"""Tensors as plain data, without jax."""

import dataclasses
import pickle
import subprocess
import sys

import pytest

import tessera
from tessera.engine import Engine
from tessera.table import short
from tessera.tensor import read_shape

MESH = "data=4,model=2"


def test_a_tensor_has_everything_in_numbers(train_step):
    down = tessera.shard(train_step)["p['blocks']['down']"]
    assert (down.shape, down.element_type, down.type) == ((2, 64, 32), "f32", "f32[2,64,32]")
    assert down.dtype == "float32"
    assert (down.spec_text, down.axes) == ("P(None, 'model', None)", ((), ("model",), ()))
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
    for ask in (lambda x: x.sharding, lambda x: x.spec):
        with pytest.raises(ValueError, match="PartitionSpec cannot say"):
            ask(t["x"])


def test_tensors_are_a_table(train_step):
    pandas = pytest.importorskip("pandas")
    t = tessera.shard(train_step)
    table = t.tensors.to_pandas()
    assert table.set_index("name").loc["result{8}", "spec_text"] == "P('model', None)"
    assert not {"mesh", "parameter"} & set(table.columns)
    assert not any(isinstance(cell, dict) for cell in table.iloc[0])
    assert table.equals(pandas.DataFrame(list(t.tensors)))
    assert t.collectives().to_pandas().sent.sum() == sum(c.sent for c in t.collectives())


def test_columns_are_what_tensors_have(train_step):
    tensors = tessera.shard(train_step).tensors
    for name in ("name", "shape", "spec_text", "bytes_per_device", "op_name", "source", "is_result", "manual_axes", "parameter", "mesh", "type"):
        assert tensors.column(name) == [getattr(tensor, name) for tensor in tensors]
    assert tensors[3:5][0] == tensors[3] and tensors[-1].name == "result{9}" and len(tensors[3:5]) == 2
    assert pickle.loads(pickle.dumps(tensors)) == tensors and repr(tensors).endswith(", ..>")
    with pytest.raises(AttributeError):
        tensors.column("colour")


def test_rows_are_columns_until_they_are_asked_for(train_step):
    rows = tessera.shard(train_step).collectives()
    assert rows.column("sent") == [row.sent for row in rows] and rows.column("given") == [row.given for row in rows]
    assert pickle.loads(pickle.dumps(rows)) == rows and "<th>sent</th>" in rows._repr_html_()
    with pytest.raises(AttributeError, match="Collective has no field 'colour': the fields are op, shape"):
        rows.column("colour")


def test_filters_have_the_names_of_the_command(train_step):
    t = tessera.shard(train_step)
    words = ["shardings", str(train_step), "--match=dot_general", "--axis=model", "--min-bytes=4096"]
    shown = [line.partition(":")[0].split()[-1] for line in Engine().ask(words).output.splitlines()]
    found = t.find(match="dot_general", axis="model", min_bytes=4096)
    assert sorted(found.column("name")) == sorted(shown) and len(shown) > 2
    sizes = t.find(match="dot_general", axis="model", min_bytes=4096, top=2).column("bytes_per_device")
    assert sizes == sorted(found.column("bytes_per_device"), reverse=True)[:2]

def test_a_tensor_is_short_and_can_be_changed_and_pickled(train_step):
    tensor = tessera.shard(train_step)["p['blocks']['down']"]
    assert repr(tensor) == "<tessera.Tensor p__blocks____down__.1: f32[2,64,32] P(None, 'model', None), 4096 bytes on a device>"
    for same in (dataclasses.replace(tensor, name="w"), pickle.loads(pickle.dumps(tensor))):
        assert (same.parameter, same.mesh) == (0, tensor.mesh) and same.mesh is not None


def test_a_tensor_that_nothing_reached(mlp):
    t = tessera.shard(mlp)
    assert t["x"].spec_text == "P()" and t["x"].axes == ((), ())
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
