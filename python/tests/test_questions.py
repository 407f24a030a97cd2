"""explain, costs, variants, the sharded module."""

import pickle

import pytest

import tessera
from tessera.engine import Engine

# `t.comm` warns that it goes.
pytestmark = pytest.mark.filterwarnings("ignore:t.comm:DeprecationWarning")
MESH = "data=4,model=2"


@pytest.fixture
def net(mlp):
    return tessera.shard(mlp, mesh=MESH, annotate={"^x$": "P('data')"})


def test_explain(t):
    why = t.explain("dot_general.67")
    assert str(why).startswith("dot_general.67  f32[8,16,32]")
    assert why.origins == {"data": "P('data', None) on parameter 9"}
    assert str(t.explain(t["dot_general.67"], axis="data")).count("dim 0 has 'data'") == 1


def test_explain_on_a_target(t):
    assert t.explain("result{0}", target="tpu-v5e:2x4").origins == t.explain("result{0}").origins
    with pytest.raises(tessera.ShardingError, match="--target=tpu-v9:"):
        t.explain("result{0}", target="tpu-v9:2x4")


def test_without_a_name_the_places_are_listed(t):
    found = t.explain()
    assert len(found.events["surprises"]) > 1 and "\n1. " in str(found) and not found.origins
    largest = found.events["surprises"][0]
    assert t.explain(top=1).events["surprises"] == [largest]
    assert all(one["bytes"] >= 384 for one in t.explain(min_bytes=384, top=0).events["surprises"])
    assert all(one["verdict"]["axis"]["name"] == "data" for one in t.explain(axis="data").events["surprises"])
    assert not t.explain(match="^no such place$").events["surprises"]
    with pytest.raises(tessera.ShardingError, match="expected no NAME"):
        t.explain("dot_general.67", top=1)


PROGRAM = """HloModule m
ENTRY e {{
  x = f32[4] parameter(0)
  ROOT y = f32[4] tanh(x), metadata={{op_name="tanh" source_file="{file}" source_line=2}}
}}
"""


def test_lines_of_the_program_are_shown_from_files_below_a_root_only(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("import jax\ny = jax.numpy.tanh(x)\n")
    t = tessera.shard(PROGRAM.format(file=file), mesh="a=2", annotate={"^x$": "P('a')"})
    for root, is_shown in ((None, False), (tmp_path, True), (str(tmp_path), True), (tmp_path / "..", True)):
        assert ("y = jax.numpy.tanh(x)" in str(t.explain("y", source_root=root))) == is_shown, root
    with pytest.raises(tessera.ShardingError, match="expected a folder"):
        t.explain("y", source_root="/no/such/folder")


@pytest.fixture
def asked(monkeypatch):
    """The verbs that the engine was asked."""
    verbs, ask = [], Engine.ask
    monkeypatch.setattr(Engine, "ask", lambda engine, words: verbs.append(words[0]) or ask(engine, words))
    return verbs


def test_a_report_and_its_data_are_one_question(t, net, asked, tmp_path):
    why = t.explain("dot_general.67")
    assert str(why) and why.origins and asked == ["explain"]
    for ask, verb in ((lambda: t.comm(), "comm"), (lambda: t.memory(fixes=False), "memory")):
        asked.clear()
        assert str(ask()).count("\n") > 3 and asked == [verb]
    asked.clear()
    assert "7 tensors" in str(net.diff(net)) and asked == ["shardings", "check"]
    (tmp_path / "net.txt").write_text(net.record())
    asked.clear()
    tessera.assert_shardings(net, tmp_path / "net.txt")
    assert asked == ["check"]


def test_explain_knows_the_nearest_names(t):
    for name in ("dot_gneral.67", "dot_gneral.67:0"):
        with pytest.raises(tessera.UnknownTensor) as caught:
            t.explain(name)
        with pytest.raises(tessera.UnknownTensor) as looked_up:
            t["dot_gneral.67"]
        assert str(caught.value) == str(looked_up.value)


def test_what_is_wrong_with_a_known_tensor_is_no_unknown_name(t):
    with pytest.raises(tessera.ShardingError, match="rank 3"):
        t.explain("dot_general.67:9")


def test_an_explanation_keeps_its_columns_in_a_notebook(t):
    assert t.explain("dot_general.67")._repr_html_().startswith('<pre style="font-family: monospace">')


def command(*words):
    return Engine().ask(words).output.strip()


def test_bills_print_as_the_command_does(t, train_step):
    assert str(t.comm("tpu-v5e:2x4")) == command("comm", str(train_step), "--target=tpu-v5e:2x4")
    assert str(t.memory("1kB", fixes=False)) == command("memory", str(train_step), "--memory-limit=1kB", "--no-fixes")
    copied = pickle.loads(pickle.dumps(t.comm()))
    assert copied == t.comm() and str(copied) == command("comm", str(train_step))


def test_bills_are_tables_in_a_notebook(t):
    bill, memory = t.comm("tpu-v5e:2x4"), t.memory("1kB", fixes=False)
    assert f"<td>{bill.total.sent:,}</td>" in bill._repr_html_() and "by mesh axis" in bill._repr_html_()
    assert f"<td>{memory.total:,}</td>" in memory._repr_html_() and "does not fit" in memory._repr_html_()
    assert "microseconds" not in t.comm()._repr_html_() and "fit" not in t.memory(fixes=False)._repr_html_()
    assert len(repr(bill)) < 1000 and len(repr(memory)) < 300


def test_what_lowers_the_peak_on_a_target():
    step = "HloModule m, num_partitions=4\nENTRY e {\n  w = f32[1024,256] parameter(0)\n  ROOT n = f32[1024,256] tanh(w)\n}\n"
    parted = tessera.shard(step, mesh="data=4", annotate={"^w$": "P('data')"})
    finding, = parted.memory(target="tpu-v5e:2x2").findings
    assert (finding.kind, [one.name for one in finding.arrays], finding.bytes, finding.peak) == ("donate", ["w"], 2**18, 2**18)
    assert parted.memory(target="tpu-v5e:2x2", fixes=False).findings == ()


def test_collectives_and_their_bill_agree(t):
    collectives = t.collectives()
    bill = t.comm("tpu-v5e:2x4")
    assert bill.total.count == len(collectives) == len(bill.collectives)
    assert bill.total.sent == sum(c.sent * c.runs for c in collectives) == sum(by.sent for by in bill.by_axis)
    assert bill.total.seconds > 0 and t.comm().total.seconds is None
    assert collectives[0].nesting[0].kind == "loop"


def test_reshards_and_their_fixes(mlp):
    parted = tessera.shard(mlp, mesh="data=4,model=2", annotate={"^x$": "P('data')", "^w1$": "P('data')"})
    reshard, = parted.reshards(axis="data")
    assert (reshard.kind, reshard.value, reshard.before, reshard.after) == ("implied", "w1", "P('data', None)", "P()")
    assert reshard.sent == sum(c.sent for c in reshard.collectives) == 6144  # 3/4 of f32[32,64]
    assert "annotate w1" in reshard.fixes[0].annotations[0] and reshard.fixes[0].after.sent == 0
    assert parted.reshards(fixes=False)[0].fixes == ()
    assert parted.reshards(min_bytes=10000) == []


def many_reshards(count):
    """Arguments of different sizes, each of which is needed otherwise than it comes."""
    shapes = [f"f32[64,{8 * k}]" for k in range(1, count + 1)]
    lines = [f"  x{k} = {shape} parameter({k})" for k, shape in enumerate(shapes)]
    lines += [f"  y{k} = {shape} tanh(x{k})" for k, shape in enumerate(shapes)]
    results = ", ".join(f"y{k}" for k in range(count))
    text = "\n".join(["HloModule m", "ENTRY e {", *lines, f"  ROOT r = ({', '.join(shapes)}) tuple({results})", "}", ""])
    return tessera.shard(text, mesh="a=2", annotate={"^x": "P('a')", "^y": "P(None, 'a')"})


def test_annotations_are_tried_for_the_first_ten_reshards():
    t = many_reshards(12)
    found = t.reshards()
    assert len(found) == 12 and [bool(r.fixes) for r in found] == [True] * 10 + [False] * 2
    assert t.reshards(top=3) == found[:3] and t.reshards(top=12)[11].fixes
    assert [r.value for r in t.reshards(fixes=False)] == [r.value for r in found]


def test_lists_print_as_the_command_does(t, train_step):
    assert str(t.collectives(top=3)) == command("collectives", str(train_step), "--top=3")
    assert str(t.reshards()) == command("reshards", str(train_step))
    assert str(t.collectives()[:2]).count("\n") == 1, "a part of a list: a row on each line"


def test_a_limit_that_is_exceeded_is_an_answer(t):
    assert t.memory("1MB").fits is True
    assert t.memory("1kB").fits is False
    assert t.memory().fits is None
    assert t.memory(16 * 2**30).fits is True
    assert t.memory(1000).fits is False
    assert t.memory(0).fits is False
    for old, now in (({"limit": "1kB"}, {"memory_limit": "1kB"}), ({"cures": False}, {"fixes": False})):
        with pytest.warns(DeprecationWarning, match="works in this release only"):
            assert t.memory(**old) == t.memory(**now)
    with pytest.warns(DeprecationWarning, match=r"t.memory\(target=\)"):
        assert t.memory(hardware="tpu-v5e").fits is True
    assert sum(b.bytes for b in t.memory().argument_list) == t.memory().arguments


def test_the_sharded_module_is_a_module(net):
    final = tessera.shard(net.to_hlo())
    assert [a.spec for a in final.args] == [a.spec for a in net.args]
    assert net.to_hlo("xla") != net.to_hlo()


def test_the_module_of_a_device(net, mlp):
    device = net.partitioned()
    assert "num_partitions=8" in device and "f32[4,32] parameter(0)" in device
    summed = tessera.shard(mlp, mesh=MESH, annotate={"^w2$": "P('model')"}).partitioned()
    assert "f32[32,32] parameter(2)" in summed and " all-reduce(" in summed


def test_ends_of_lines_stay(mlp):
    text = mlp.read_text().replace("\n", "\r\n")
    assert tessera.shard(text, mesh=MESH).to_hlo().count("\r\n") == text.count("\r\n")


def test_other_meshes_and_annotations(net):
    assert net.with_mesh(data=8, model=1)["x"].local_shape == (2, 32)
    assert net.with_annotations({"^w1$": "P(None, 'model')"})["h"].spec_text == "P('data', 'model')"
    assert net["h"].spec_text == "P('data', None)"


def test_diff(net):
    other = net.with_annotations({"^w1$": "P(None, 'model')"})
    changed = net.diff(other)
    assert changed and [c.after.name for c in changed.changes] == ["w1", "w2", "h", "t"]
    gained = changed.changes[0].axes[0]
    assert (gained.kind, gained.axis, gained.after) == ("gained", "'model'", 1)
    assert "gained 'model' on dimension 1" in str(changed)
    cause = changed.causes[0]
    assert (cause.tensor, cause.axis.axis, cause.kind, cause.followers) == ("w1", "'model'", "annotation", 3)
    assert [c.axes[0].kind for c in other.diff(net).changes] == ["lost"] * 4
    assert not net.diff(net)
    assert "gained &#x27;model&#x27; on dimension 1" in changed._repr_html_()


def test_diff_of_some_tensors(net):
    annotated, elsewhere = net.with_annotations({"^w1$": "P(None, 'model')"}), net.with_mesh(data=1, model=8)
    for other in (annotated, elsewhere):  # by `check`, by `diff`
        every = net.diff(other).changes
        assert len(every) > 1 and len(net.diff(other, top=1).changes) == 1
        with pytest.raises(tessera.ShardingError, match="none of"):
            net.diff(other, match="^no such tensor$")
        largest = max(c.after.bytes_per_device for c in every)
        assert all(c.after.bytes_per_device == largest for c in net.diff(other, min_bytes=largest).changes)
    assert [c.after.name for c in net.diff(annotated, match="^w").changes] == ["w1", "w2"]
    assert not net.diff(annotated, axis="data") and len(net.diff(annotated, axis="model").changes) == 4


def test_diff_of_two_meshes(net):
    other = net.with_mesh(data=8, model=1)
    assert net.diff(other).mesh_after == '["data"=8, "model"=1]'
    with pytest.raises(ValueError, match="two meshes"):
        net.with_annotations({"^w1$": "P(None, 'model')"}).diff(other)


def test_diff_of_two_references(net, mlp):
    older = tessera.shard(mlp, mesh=MESH, annotate={"^x$": "P('data')"}, reference="0.10.2")
    same = tessera.shard(mlp, mesh=MESH, annotate={"^x$": "P('data')"}, reference=net.reference)
    assert not net.diff(older) and not older.diff(net) and not net.diff(same)
