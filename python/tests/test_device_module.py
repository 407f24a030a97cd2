"""The module of one device, and the tensors that its arrays come from."""

import pickle

import pytest

import tessera

MESH = "data=4,model=2"


@pytest.fixture
def summed(mlp):
    """The second product is a sum over `model`."""
    return tessera.shard(mlp, mesh=MESH, annotate={"^w2$": "P('model')"})


def test_the_text_is_what_partitioned_returns(summed):
    device = summed.device_module
    assert device.text == str(device) == summed.partitioned()
    assert device is summed.device_module
    assert (device.num_partitions, device.name) == (8, "mlp")
    assert repr(device) == f"<tessera.DeviceModule mlp: {len(device)} arrays on each of 8 devices>"


def test_steps_know_their_tensor(summed):
    product, reduced = summed.device_module.of("y")
    assert (product.name, product.opcode, product.value_of, product.made_for) == ("y", "dot", (), ("y",))
    assert (reduced.opcode, reduced.value_of, reduced.computation) == ("all-reduce", ("y",), product.computation)
    assert product.source == reduced.source == summed["y"]
    assert product.type == "f32[16,32]" and product.shape == (16, 32) and product.element_type == "f32"
    assert summed.device_module[reduced.name] == reduced
    assert repr(reduced) == f"<tessera.DeviceTensor {reduced.name}: f32[16,32] all-reduce, shards of y>"


def test_every_name_of_the_text_is_an_array(t):
    device = t.device_module
    for line in device.text.splitlines():
        name, equals, rest = line.strip().removeprefix("ROOT ").partition(" = ")
        if equals and name.startswith("%") and " tuple(" not in rest and " get-tuple-element(" not in rest:
            name = name.removeprefix("%")
            assert name in device or f"{name}{{0}}" in device, line


def test_shards_have_the_shape_of_their_tensor(t):
    """Loops and their bodies aside, where `tensors` has shardings of what they capture."""
    compared = 0
    for one in t.device_module:
        if one.name in one.value_of and one.opcode not in ("while", "parameter") and one.name in t:
            assert one.shape == t[one.name].local_shape, (one, t[one.name])
            compared += 1
    assert compared > 200


def test_arrays_of_loops_have_their_own_tensors(t):
    """The loop of a device carries them in another order."""
    # A constant that propagation has sunk into the body is no tensor.
    loops = [one for one in t.device_module if one.opcode == "while" and one.source is not None]
    assert len(loops) > 20
    assert all(one.source.name.startswith(one.name.partition("{")[0]) for one in loops)
    assert t.device_module["while.2{12}"].source == t["while.2{3}"] and t["while.2{3}"].local_shape == t.device_module["while.2{12}"].shape
    assert [one.name for one in t.device_module.of("while.2{3}")] == ["while.2{12}"]


def test_collectives_are_for_tensors(t):
    collectives = [one for one in t.device_module if one.opcode.startswith("all-")]
    assert len(collectives) > 10 and all(one.source is not None for one in collectives)
    for one in collectives:
        assert one in t.device_module.of(one.source) and one in t.device_module.of(one.source.name)


def test_tables_of_devices_have_no_tensor(t):
    device = t.device_module
    numbers = [one for one in device if one.opcode == "partition-id"]
    assert numbers and all(one.source is None and one.sources == () for one in numbers)


def test_equal_tensors_are_one_array():
    text = ("HloModule m, num_partitions=2\nENTRY e {\n  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
            "  a = f32[8] sine(x), sharding={devices=[2]<=[2]}\n  b = f32[8] sine(x), sharding={devices=[2]<=[2]}\n"
            "  ROOT c = f32[8] add(a, b), sharding={devices=[2]<=[2]}\n}\n")
    t = tessera.shard(text, import_="hlo")
    assert [one.name for one in t.device_module.of("b")] == [one.name for one in t.device_module.of("a")]
    assert t.device_module.of("b")[0].sources == (t["a"], t["b"])


def test_names_that_are_not_there(summed):
    device = summed.device_module
    with pytest.raises(tessera.UnknownTensor) as caught:
        device["all-reduze"]
    assert caught.value.nearest[0].startswith("all-reduce")
    with pytest.raises(tessera.UnknownTensor, match="no tensor is named 'nix'"):
        device.of("nix")
    with pytest.raises(TypeError, match=r"device_module.tensors\[0\] counts them"):
        device[0]
    assert "nix" not in device and "y" in device and list(summed.device_module.of(summed.results[0])) == []


def test_arrays_are_a_table(summed):
    arrays = summed.device_module.tensors
    assert arrays.column("type") == [one.type for one in arrays] and arrays.column("made_for")[0] == ()
    assert arrays[:2] == [arrays[0], arrays[1]] and arrays[:2][1].source == arrays[1].source
    assert "all-reduce" in arrays._repr_html_() and "all-reduce" in summed.device_module._repr_html_()
    assert list(arrays.to_pandas().columns) == ["name", "computation", "opcode", "type", "value_of", "made_for"]


def test_pickles(summed):
    device = summed.device_module
    other = pickle.loads(pickle.dumps(device))
    assert other.text == device.text and other["y"] == device["y"] and other["y"].source == summed["y"]
    assert pickle.loads(pickle.dumps(summed)).device_module["y"].source == summed["y"]


def test_errors_are_those_of_partitioned():
    text = ("HloModule m, num_partitions=2\nENTRY e {\n  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
            "  ROOT p = f32[8] custom-call(x), custom_call_target=\"CustomSPMDPartitioning\", sharding={devices=[2]<=[2]}\n}\n")
    t = tessera.shard(text, import_="hlo")
    for ask in (lambda: t.partitioned(), lambda: t.device_module):
        with pytest.raises(tessera.ShardingError) as caught:
            ask()
        assert caught.value.line == 4
