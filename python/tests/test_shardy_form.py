"""What `tessera confirm` hands to the compiler: Shardy's operations, as JAX does, in place of the attributes and custom calls of HLO text."""

import sys

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "pipeline/verbs/confirm"))


@pytest.fixture(scope="module")
def mesh():
    return jax.make_mesh((len(jax.devices()) // 2, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def handed_over(function, mesh, *specs, out_shardings=None):
    """The text, and which results are open."""
    import compile

    arguments = [jax.ShapeDtypeStruct((16, 16), "float32", sharding=NamedSharding(mesh, spec)) for spec in specs]
    lowered = jax.jit(function, out_shardings=out_shardings).lower(*arguments)
    module, opened = compile.parsed(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(), set())
    assert module.operation.verify()
    text = str(module)
    assert "xla.sdy" not in text and "mhlo.sharding" not in text
    return text, opened


def shardy_form(function, mesh, *specs, out_shardings=None):
    return handed_over(function, mesh, *specs, out_shardings=out_shardings)[0]


def test_results_without_a_sharding_are_open(mesh):
    both = lambda x: (x + 1, x * 2)
    assert handed_over(both, mesh, P("data"))[1] == [True, True]
    assert handed_over(both, mesh, P("data"), out_shardings=(NamedSharding(mesh, P("data")), None))[1] == [False, True]


def test_arguments_and_results_have_named_shardings(mesh):
    text = shardy_form(jnp.tanh, mesh, P("data"), out_shardings=NamedSharding(mesh, P(None, "model")))
    assert '%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}' in text
    assert 'sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>' in text


def test_a_constraint_in_a_branch(mesh):
    def step(x):
        constrained = lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "model")))
        return jax.lax.cond(x[0, 0] > 0, constrained, jnp.tanh, x)

    assert shardy_form(step, mesh, P("data")).count("sdy.sharding_constraint") == 1


def test_two_shard_maps_in_a_loop(mesh):
    def step(x, y):
        add = jax.shard_map(lambda x, y: jax.lax.psum(x + y, "data"), mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
        split = jax.shard_map(lambda x: (x, 2 * x), mesh=mesh, in_specs=P("data"), out_specs=(P("data"), P("data")))
        once = lambda x, _: (split(x)[0] + split(x)[1] + jnp.sum(add(x, y)), None)
        return jax.lax.scan(once, x, None, length=3)[0]

    text = shardy_form(step, mesh, P("data"), P("data"))
    assert text.count("sdy.manual_computation(") == text.count("sdy.return") == 3
    assert "manual_computation_body" not in text
