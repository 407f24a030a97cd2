"""Random JAX programs by seed: what no one would write by hand, and the pass must still shard.

    program = random_program(17)      # a program.Program; the same seed gives the same program for ever

A pool of arrays grows by one operation at a time, drawn from a table; annotations stand on some inputs, some results and in between as constraints.
Sizes are small and often odd; every operation keeps its shapes legal by construction, so no draw is thrown away.
"""

import numpy as np
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, Mesh, PartitionSpec as P

from alike import shard_alike
from program import Call, Program, put, tensor

SIZES = (1, 2, 3, 4, 5, 6, 8, 8, 8, 12, 16)
MESHES = (dict(x=2), dict(x=4, y=2), dict(x=2, y=2, z=2), dict(x=8), dict(x=3, y=2), dict(one=1, x=4, y=2),
          dict(x=2, y=4), dict(a=2, b=2, c=2, d=2))
MOST_ELEMENTS = 4096


class Draw:
    """A seeded source of choices over one pool of arrays."""

    def __init__(self, random, mesh, depth=0):
        self.random, self.mesh, self.depth = random, mesh, depth

    def inside(self, seed, flat=False):
        """Another source for a region; in a `flat` one there are no further regions and no constraints."""
        return Draw(np.random.RandomState(seed), self.mesh, MOST_DEPTH if flat else self.depth + 1)

    def integer(self, low, high):
        return int(self.random.randint(low, high))

    def chance(self, p):
        return self.random.rand() < p

    def pick(self, items):
        return items[self.integer(0, len(items))]

    def value(self, pool, rank=0):
        """An array of at least this rank; a constant joins the pool if there is none."""
        fit = [v for v in pool if v.ndim >= rank]
        if not fit:
            fit = [jnp.ones((4, 8, 2)[:rank])]
            pool += fit
        return self.pick(fit)

    def dim(self, v):
        return self.integer(0, v.ndim)

    def spec(self, shape, opens=False, among=None):
        """Legal entries for a shape: axes that divide their dimension, none twice."""
        axes = [(name, size) for name, size in self.mesh.shape.items() if among is None or name in among]
        self.random.shuffle(axes)
        entries = []
        for size in shape:
            mine, left = [], size
            while axes and left % axes[-1][1] == 0 and self.chance(0.5):
                name, count = axes.pop()
                mine.append(name)
                left //= count
            free = P.UNCONSTRAINED if opens and self.chance(0.4) else None
            entries.append(tuple(mine) if mine else free)
        return P(*entries)


def unary(d, pool):
    f = d.pick([jnp.sin, jnp.negative, jnp.tanh, jnp.abs, lambda v: v * 2.0, lambda v: v.astype(jnp.bfloat16).astype(
        jnp.float32), lambda v: jnp.where(v > 0, v, 0.1 * v), jnp.exp2, jax.nn.relu, lax.erf])
    return f(d.value(pool))


def binary(d, pool):
    a = d.value(pool)
    same = [v for v in pool if v.shape == a.shape]
    return d.pick([jnp.add, jnp.multiply, jnp.maximum, jnp.subtract])(a, d.pick(same))


def broadcast_row(d, pool):
    a = d.value(pool, 1)
    rows = [v for v in pool if v.ndim == 1 and v.shape[0] == a.shape[-1]]
    return a + (d.pick(rows) if rows else jnp.arange(a.shape[-1], dtype=jnp.float32))


def matmul(d, pool):
    a = d.value(pool, 2)
    fit = [v for v in pool if v.ndim == 2 and v.shape[0] == a.shape[-1]]
    b = d.pick(fit) if fit else jnp.ones((a.shape[-1], d.pick(SIZES))) * 0.1
    return a @ b


def contract(d, pool):
    a = d.value(pool, 2)
    same = d.pick([v for v in pool if v.shape == a.shape])
    k = d.dim(a)
    keep = "abcd"[:a.ndim]
    text = f"{keep},{keep.replace(keep[k], 'z')}->{keep.replace(keep[k], keep[k] + 'z') if a.ndim < 3 else keep}"
    return jnp.einsum(text, a, same)


def transpose(d, pool):
    a = d.value(pool, 2)
    return jnp.transpose(a, d.random.permutation(a.ndim))


def split_dimension(d, pool):
    a = d.value(pool, 1)
    k = d.dim(a)
    factors = [f for f in (2, 3, 4) if a.shape[k] % f == 0 and a.shape[k] > f]
    if not factors or a.ndim >= 4:
        return a.reshape(-1)
    f = d.pick(factors)
    return a.reshape(*a.shape[:k], f, a.shape[k] // f, *a.shape[k + 1:])


def merge_dimensions(d, pool):
    a = d.value(pool, 2)
    k = d.integer(0, a.ndim - 1)
    return a.reshape(*a.shape[:k], a.shape[k] * a.shape[k + 1], *a.shape[k + 2:])


def reduce(d, pool):
    a = d.value(pool, 1)
    return d.pick([jnp.sum, jnp.max, jnp.mean])(a, axis=d.dim(a), keepdims=d.chance(0.3))


def softmax(d, pool):
    a = d.value(pool, 1)
    return jax.nn.softmax(a, axis=d.dim(a))


def cut(d, pool):
    a = d.value(pool, 1)
    k = d.dim(a)
    if a.shape[k] < 3:
        return jnp.flip(a, k)
    start, stride = d.integer(0, 2), d.integer(1, 3)
    return lax.slice_in_dim(a, start, a.shape[k], stride, axis=k)


def grow(d, pool):
    a = d.value(pool, 1)
    return jnp.pad(a, [(d.integer(0, 2), d.integer(0, 3)) for _ in a.shape])


def join(d, pool):
    a = d.value(pool, 1)
    k = d.dim(a)
    return jnp.concatenate([a, d.pick([v for v in pool if v.shape == a.shape])], axis=k)


def dynamic(d, pool):
    a = d.value(pool, 1)
    at = jnp.argmax(a.reshape(-1)).astype(jnp.int32)
    k = d.dim(a)
    piece = lax.dynamic_slice_in_dim(a, at, max(1, a.shape[k] // 2), axis=k)
    return piece if d.chance(0.5) else lax.dynamic_update_slice_in_dim(a, piece * 2.0, at, axis=k)


def indices(d, a, k, count):
    flat = jnp.resize(jnp.abs(a.reshape(-1)[:count] * 10), (count,))
    return flat.astype(jnp.int32) % a.shape[k]


def gather(d, pool):
    a = d.value(pool, 1)
    k = d.dim(a)
    return jnp.take(a, indices(d, a, k, d.pick(SIZES)), axis=k)


def scatter(d, pool):
    a = d.value(pool, 1)
    at = indices(d, a, 0, 4)
    return a.at[at].add(1.0) if d.chance(0.5) else a.at[at].set(0.5)


def order(d, pool):
    a = d.value(pool, 1)
    k = d.dim(a)
    return jnp.sort(a, axis=k) if d.chance(0.5) else jnp.cumsum(a, axis=k)


def best(d, pool):
    a = d.value(pool, 1)
    values, index = lax.top_k(a, max(1, a.shape[-1] // 2))
    return values if d.chance(0.7) else index.astype(jnp.float32)


def window(d, pool):
    a = d.value(pool, 1)
    wide = [1] * a.ndim
    wide[d.dim(a)] = 2
    return lax.reduce_window(a, 0.0, lax.add, wide, d.pick([[1] * a.ndim, wide]), "SAME")


def convolve(d, pool):
    fit = [v for v in pool if v.ndim == 3]
    if not fit:
        return unary(d, pool)
    a = d.pick(fit)
    w = jnp.ones((3, a.shape[2], d.pick((4, 6)))) * 0.1
    return lax.conv_general_dilated(a, w, (d.integer(1, 3),), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


def constant(d, pool):
    a = d.value(pool)
    return a + lax.broadcasted_iota(jnp.float32, a.shape, d.dim(a)) if a.ndim else a + 1.0


def loop(d, pool):
    start, other = d.value(pool, 1), d.value(pool, 1)
    k, rows = d.integer(0, 1 << 30), d.value(pool, 1)

    def body(carry, row):
        inner = d.inside(k)
        grown = steps(inner, [carry, other] + ([row] if row.ndim else []), 3)
        same = [v for v in grown if v.shape == carry.shape]
        return same[-1] * 0.5, other.sum() if inner.chance(0.5) else row
    state, gathered = lax.scan(body, start, rows)
    return d.pick([state, gathered])


def until(d, pool):
    start, other = d.value(pool, 1), d.value(pool)
    scale = other.sum() if d.chance(0.5) else 2.0
    step = lambda s: (s[0] + 1, jnp.sin(s[1]) * scale, s[2])
    return lax.while_loop(lambda s: s[0] < 3, step, (0, start, other))[d.pick([1, 2])]


def exchange(d, pool):
    """A loop whose state changes places; one element never changes, one is only constrained."""
    a = d.value(pool, 1)
    b = d.pick([v for v in pool if v.shape == a.shape])
    kept, spec = d.value(pool), d.spec(a.shape, opens=True)
    free = d.chance(0.5)

    def body(_, state):
        x, y, z, w = state
        return y if free else put(d.mesh, y, *spec), jnp.tanh(x) + w.sum(), put(d.mesh, z, *spec), w
    done = lax.fori_loop(0, d.integer(2, 5), body, (a, b, a * 0.5, kept))
    return done[d.integer(0, 4)]


def branch(d, pool):
    a, b = d.value(pool), d.value(pool)
    k = d.integer(0, 1 << 30)

    def yes(v):
        same = [u for u in steps(d.inside(k), [v, b], 2) if u.shape == v.shape]
        return same[-1]
    return lax.cond(a.sum() > 0, yes, lambda v: v * 2.0 + b.sum(), a)


def choose(d, pool):
    a = d.value(pool)
    which = jnp.abs(a.sum() * 10).astype(jnp.int32) % 3
    return lax.switch(which, [jnp.sin, jnp.cos, lambda v: v], a)


def constraint(d, pool):
    a = d.value(pool, 1)
    return put(d.mesh, a, *d.spec(a.shape, opens=True))


def constraint_elsewhere(d, pool):
    """On the same devices under other names."""
    a = d.value(pool, 1)
    half = d.mesh.devices.size // 2
    other = Mesh(d.mesh.devices.reshape((half, 2) if half > 1 else (-1,)), ("u", "v")[:1 + (half > 1)],
                 axis_types=(AxisType.Auto,) * (1 + (half > 1)))
    return put(other, a, *Draw(d.random, other).spec(a.shape, opens=True))


def alike(d, pool):
    a = d.value(pool)
    b = d.pick([v for v in pool if v.shape == a.shape])
    return shard_alike(a, b)[0]


def barrier(d, pool):
    return lax.optimization_barrier((d.value(pool), d.value(pool)))[0]


def manual(d, pool):
    """A shard_map over some of the axes; the body computes, may exchange, and may constrain along the others."""
    a = d.value(pool, 1)
    names = [name for name in d.mesh.axis_names if d.chance(0.6)] or [d.mesh.axis_names[0]]
    spec = d.spec(a.shape, among=names)
    used = [name for name in names if any(name == entry or isinstance(entry, tuple) and name in entry for entry in spec)]
    free = [name for name in d.mesh.axis_names if name not in names]
    k = d.integer(0, 1 << 30)

    def body(v):
        inner = d.inside(k, flat=True)
        grown = [u for u in steps(inner, [v], 3) if u.shape == v.shape]
        v = grown[-1] * 2.0
        if inner.chance(0.3):
            v = v + lax.psum(v, inner.pick(names))
        if used and inner.chance(0.2):
            v = lax.ppermute(v, used[0], [(i, (i + 1) % d.mesh.shape[used[0]]) for i in range(d.mesh.shape[used[0]])])
        if free and inner.chance(0.5):
            v = lax.with_sharding_constraint(v, inner.spec(v.shape, opens=True, among=free))
        return v
    return jax.shard_map(body, mesh=d.mesh, in_specs=spec, out_specs=spec, axis_names=set(names), check_vma=False)(a)


def remat(d, pool):
    a = d.value(pool)
    return jax.grad(lambda v: jnp.sum(jax.checkpoint(lambda u: jnp.sin(jnp.sin(u)))(v)))(a)


# Often used operations stand several times.
FLAT = [unary] * 3 + [binary] * 4 + [broadcast_row] * 2 + [matmul] * 4 + [contract] * 2 + [transpose] * 2 + [
    split_dimension, split_dimension, merge_dimensions, merge_dimensions, reduce, reduce, softmax, cut, grow, join,
    join, dynamic, gather, scatter, order, best, window, convolve, constant, remat]
CONSTRAINED = FLAT + [constraint, constraint, constraint, constraint_elsewhere, alike, barrier]
NESTING = CONSTRAINED + [loop, loop, until, exchange, branch, choose, manual, manual]
BY_DEPTH = (NESTING, CONSTRAINED + [loop, until, exchange, branch], FLAT)
MOST_DEPTH = len(BY_DEPTH) - 1


def steps(d, pool, count):
    pool = list(pool)
    for _ in range(count):
        grown = d.pick(BY_DEPTH[d.depth])(d, pool)
        if grown.size <= MOST_ELEMENTS:
            pool.append(grown)
    return pool


def random_program(seed):
    random = np.random.RandomState(seed)
    axes = MESHES[random.randint(len(MESHES))]

    def build(mesh):
        d = Draw(np.random.RandomState(seed + 1), mesh)
        shapes = [tuple(d.pick(SIZES) for _ in range(d.integer(1, 4))) for _ in range(d.integer(2, 5))]
        shapes.append(shapes[0])
        inputs = [tensor(s, d.spec(s) if d.chance(0.7) else None) for s in shapes]
        length, body_seed, ends = d.integer(4, 24), d.integer(0, 1 << 30), d.integer(1, 4)

        def f(*values):
            inner = Draw(np.random.RandomState(body_seed), mesh)
            return tuple(steps(inner, values, length)[-ends:])
        return Call(f, inputs)

    return Program(f"random_{seed}", axes, build)
