"""Findings, the time of a step, and filters on collectives: as the command has them."""

import json
import pickle

import pydantic
import pydantic_sarif.model
import pytest

import tessera
from tessera.engine import Engine


def answer(*words):
    return json.loads(Engine().ask([*words, "--json"]).output)


def test_findings_are_those_of_the_command(t, train_step):
    found = t.lint(max_sent=1, memory_limit="1kB")
    words = ["lint", str(train_step), "--max-sent=1", "--memory-limit=1kB"]
    want = answer(*words)
    assert found and found.errors == want["errors"] == 2
    assert [one.message for one in found.findings] == [one["message"] for one in want["findings"]]
    first = found.findings[0]
    assert str(found).startswith(f"{first.file}:{first.line}: error: [{first.rule}] {first.message}")
    assert str(found) == Engine().ask(words).output.rstrip() and "<td>error</td>" in found._repr_html_()
    assert not t.lint(max_sent=1, ignore=["sent-bytes"]) and pickle.loads(pickle.dumps(found)) == found


def test_sarif_is_as_its_schema_has_it(train_step, mlp):
    schema = pydantic_sarif.model.StaticAnalysisResultsFormatSarifVersion210JsonSchema
    for module, found in ((train_step, 2), (mlp, 0)):
        text = Engine().ask(["lint", str(module), "--mesh=data=2,model=4", "--max-sent=1", "--memory-limit=1kB", "--format=sarif"]).output
        assert len(schema.model_validate_json(text).runs[0].results) >= found
    broken = json.loads(text)
    del broken["runs"][0]["tool"]["driver"]["name"]
    with pytest.raises(pydantic.ValidationError, match="name"):
        schema.model_validate(broken)


def test_the_time_is_that_of_the_command(t, train_step):
    cost = t.cost("tpu-v5e:2x4")
    assert len(t.cost("tpu-v5e:2x4", top=1).kernels) == 1 and t.cost("tpu-v5e:2x4", match="no such").total_s == cost.total_s
    want = answer("cost", str(train_step), "--target=tpu-v5e:2x4")
    assert cost.total_s == want["total_s"] > 0 and cost.target
    assert [one.name for one in cost.kernels] == [one["name"] for one in want["kernels"]]
    assert str(cost) == Engine().ask(["cost", str(train_step), "--target=tpu-v5e:2x4"]).output.strip() and "microseconds" in cost._repr_html_()


def test_a_custom_call_has_the_cost_that_is_given(tmp_path):
    module = tmp_path / "call.hlo"
    module.write_text('HloModule m\nENTRY e {\n  x = f32[1024,1024] parameter(0)\n'
                      '  ROOT c = f32[1024,1024] custom-call(x), custom_call_target="mine"\n}\n')
    call = tessera.shard(module)
    mine = {"mine": (1e12, 1e9)}
    assert call.cost("tpu-v5e:1x1").total_s < call.cost("tpu-v5e:1x1", kernel_cost=mine).total_s
    assert call.sweep(["data=8"], target="tpu-v5e:2x4", kernel_cost=mine).best.seconds > 1e-3
    assert call.suggest("tpu-v5e:2x4", devices=8, tries=1, kernel_cost=mine).own.seconds > 1e-3
    on_mesh = call.with_mesh(data=8)
    changed = on_mesh.diff(on_mesh.with_annotations({"^x$": "P('data')"}), target="tpu-v5e:2x4", kernel_cost=mine)
    assert changed.costs_before.seconds > 1e-3


def test_collectives_have_the_filters_of_the_command(t, train_step):
    everything = t.collectives()
    for options, flags in (({"axis": "data", "top": 2}, ["--axis=data", "--top=2"]), ({"match": "transformers.py:29"}, ["--match=transformers.py:29"]),
                           ({"min_bytes": 20000}, ["--min-bytes=20000"])):
        found = t.collectives(**options)
        assert found.column("shape") == [one["shape"] for one in answer("collectives", str(train_step), *flags)["collectives"]]
        assert 0 < len(found) < len(everything)


def test_memory_has_the_filters_of_the_command(t, train_step):
    everything = t.memory(fixes=False)
    for options, flags in (({"axis": "data"}, ["--axis=data"]), ({"match": "transformers.py:29"}, ["--match=transformers.py:29"]),
                           ({"min_bytes": 5000, "top": 2}, ["--min-bytes=5000", "--top=2"])):
        found = t.memory(fixes=False, **options)
        want = answer("memory", str(train_step), "--no-fixes", *flags)
        assert [one.name for one in found.at_peak] == [one["name"] for one in want["at_peak"]] and found.total == everything.total
        assert 0 < len(found.at_peak) + len(found.argument_list) < len(everything.at_peak) + len(everything.argument_list)
