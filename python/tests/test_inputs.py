"""What a module can be given as, and what is said of one that cannot be read."""

import concurrent.futures
import copy
import multiprocessing
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


def test_text_does_not_say_which_jaxlib_it_is_of(mlp):
    unknown, known = tessera.shard(mlp), tessera.shard(mlp, reference="0.11")
    assert unknown.reference == "0.12.0.1" and "nothing says which jaxlib lowered the module" in unknown.notes
    assert known.reference == "0.11.2" and "jaxlib" not in known.notes


def test_a_sharded_module_is_copied(mlp, tmp_path, monkeypatch):
    options = {"mesh": "data=4,model=2", "annotate": {"^x$": "P('data')"}}
    monkeypatch.chdir(mlp.parent)
    for module in (mlp.read_text(), mlp.name):
        t = tessera.shard(module, **options)
        pickled, deep, reason = pickle.dumps(t), copy.deepcopy(t), str(t.explain("h"))
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir(tmp_path)
            for copied in (pickle.loads(pickled), deep):
                assert copied.tensors == t.tensors and str(copied.explain("h")) == reason


def bytes_of_arguments(t):
    return t.memory(fixes=False).arguments


def test_other_processes_take_sharded_modules(mlp):
    variants = [tessera.shard(mlp, mesh={"data": n}, annotate={"^x$": "P('data')"}) for n in (2, 4, 8)]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(bytes_of_arguments, variants)) == [bytes_of_arguments(t) for t in variants]


def test_settings_are_flags_of_the_engine():
    settings = tessera.sharded.Settings(mesh="x=2", import_="hlo", annotate=(("^x$", "P('x')"),), rules=(("flip", "([i])->([i])"),),
                                        conservative=True, number=2)
    assert settings.flags() == [
        "--mesh=x=2", "--import=hlo", "--annotate=^x$=P('x')", "--rule=flip=([i])->([i])", "--conservative", "--module=2"
    ]
