"""shard_alike for every jax: recent ones have no function of their own for a sharding group, but the dialect still has the op.

    a, b = shard_alike(a, b)    # whatever sharding one of them has, the other has too
"""

import itertools

from jax.extend import core
from jax.interpreters import batching, mlir
from jaxlib.mlir.dialects import sdy

_GROUPS = itertools.count()

member = core.Primitive("sharding_group_member")
member.def_impl(lambda x, *, group: x)
member.def_abstract_eval(lambda x, *, group: x)


def _lower(context, x, *, group):
    sdy.ShardingGroupOp(x, group)
    return [x]


mlir.register_lowering(member, _lower)
batching.primitive_batchers[member] = lambda args, dims, *, group: (member.bind(*args, group=group), dims[0])


def shard_alike(a, b):
    group = next(_GROUPS)
    return member.bind(a, group=group), member.bind(b, group=group)
