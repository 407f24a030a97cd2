"""What a module can be given as, and what is said of one that cannot be read."""

import pickle

import pytest

import tessera

BAD = """HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  ROOT y = f32[4,4] add(x, q)
}
"""


def test_text_path_and_string_are_one(mlp):
    options = {"mesh": {"data": 4, "model": 2}, "annotate": {"^x$": "P('data')"}}
    answers = [tessera.shard(module, **options).tensors for module in (mlp, str(mlp), mlp.read_text())]
    assert answers[0] == answers[1] == answers[2]


def test_an_error_has_its_place():
    with pytest.raises(tessera.ShardingError) as caught:
        tessera.shard(BAD)
    error = caught.value
    assert (error.line, error.column) == (4, 28)
    assert error.message == "there is no instruction 'q' before this line of the computation"
    assert error.excerpt.splitlines()[1].index("^") == error.excerpt.splitlines()[0].index("q)")
    assert error.message in str(error)


def test_an_error_of_a_file_names_it(tmp_path):
    path = tmp_path / "bad.hlo"
    path.write_text(BAD)
    with pytest.raises(tessera.ShardingError) as caught:
        tessera.shard(path)
    assert caught.value.file == str(path)


def test_an_axis_that_the_mesh_does_not_have(mlp):
    with pytest.raises(tessera.ShardingError, match="the mesh has no axis 'dta'"):
        tessera.shard(mlp, mesh="data=4,model=2", annotate={"^x$": "P('dta')"})


def test_an_option_that_is_wrong_has_no_place(mlp):
    with pytest.raises(tessera.ShardingError) as caught:
        tessera.shard(mlp, strategy="fast")
    assert caught.value.line is None and "fast" in caught.value.message


def test_an_error_survives_pickle():
    with pytest.raises(tessera.ShardingError) as caught:
        tessera.shard(BAD)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.line, error.message) == (str(caught.value), 4, caught.value.message)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="there is no file 'stpe.hlo'"):
        tessera.shard("stpe.hlo")


def test_a_folder_of_dumps(tmp_path, mlp):
    for name in ("module_0001.jit_step", "module_0002.jit_loss"):
        (tmp_path / f"{name}.before_optimizations.txt").write_text(mlp.read_text())
        (tmp_path / f"{name}.after_optimizations.txt").write_text("not read")
    with pytest.raises(ValueError, match="several modules; say which by name="):
        tessera.shard(tmp_path)
    assert len(tessera.shard(tmp_path, name="jit_loss")) == 7


def test_a_folder_without_dumps(tmp_path):
    with pytest.raises(FileNotFoundError, match="--xla_dump_to"):
        tessera.shard(tmp_path)


def test_settings_are_flags_of_the_engine():
    settings = tessera.sharded.Settings(mesh="x=2", import_="hlo", annotate=(("^x$", "P('x')"),), rules=(("flip", "([i])->([i])"),),
                                        conservative=True, number=2)
    assert settings.flags() == [
        "--mesh=x=2", "--import=hlo", "--annotate=^x$=P('x')", "--rule=flip=([i])->([i])", "--conservative", "--module=2"
    ]
