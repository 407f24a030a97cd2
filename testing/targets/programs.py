"""Small JAX programs, one for each thing that a pass does; for record.py.

Each is a function of a mesh data=2, model=4 that gives (function, arguments, output shardings or None).
"""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def array(mesh, shape, spec, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))


def cut(mesh, x, *spec):
    return lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


def call(mesh):
    """A shard_map: a call of its body."""
    def body(x):
        return lax.psum(jnp.sin(x), "model") + 1
    f = jax.shard_map(body, mesh=mesh, in_specs=P(None, "model"), out_specs=P(None, None))
    return f, [array(mesh, (16, 64), P(None, "model"))], None


def scatter(mesh):
    """A product that is summed over model and cut by it again."""
    def f(x, w):
        return cut(mesh, x @ w, "model", None)
    return f, [array(mesh, (64, 128), P(None, "model")), array(mesh, (128, 32), P("model", None))], None


def scatter_reshaped(mesh):
    """The same with a reshape between the sum and the cut."""
    def f(x, w):
        return cut(mesh, jnp.reshape(cut(mesh, x @ w, None, None), (64, 4, 8)), "model", None, None)
    return f, [array(mesh, (64, 128), P(None, "model")), array(mesh, (128, 32), P("model", None))], None


def added(mesh):
    """Three sums over model that are added."""
    def f(x, a, b, c):
        return cut(mesh, x @ a + x @ b + x @ c, None, None)
    w = array(mesh, (128, 32), P("model", None))
    return f, [array(mesh, (64, 128), P(None, "model")), w, w, w], None


def added_wide(mesh):
    """Two sums of bf16 that are added in f32."""
    def f(x, a, b):
        return cut(mesh, (x @ a).astype(jnp.float32) + (x @ b).astype(jnp.float32), None, None)
    w = array(mesh, (128, 32), P("model", None), jnp.bfloat16)
    return f, [array(mesh, (64, 128), P(None, "model"), jnp.bfloat16), w, w], None


def added_scatter(mesh):
    """Two sums that are cut, then added."""
    def f(x, a, b):
        return cut(mesh, x @ a, "model", None) + cut(mesh, x @ b, "model", None)
    w = array(mesh, (128, 32), P("model", None))
    return f, [array(mesh, (64, 128), P(None, "model")), w, w], None


def accumulated(mesh):
    """A loop that adds up gradients."""
    def f(x, w):
        def step(total, part):
            return total + cut(mesh, part.T @ (part @ w), None, None), None
        return lax.scan(step, jnp.zeros_like(w), x)[0]
    return f, [array(mesh, (6, 64, 32), P(None, "data", None)), array(mesh, (32, 16), P(None, None))], None


def stacked(mesh):
    """A loop that stacks sums."""
    def f(x):
        def step(carry, part):
            return carry, cut(mesh, jnp.sum(part, axis=0), None)
        return lax.scan(step, 0.0, x)[1]
    return f, [array(mesh, (6, 64, 32), P(None, "data", None))], None


def narrow(mesh):
    """bf16 that is widened, then gathered."""
    def body(x):
        return lax.all_gather(jnp.reshape(x.astype(jnp.float32), (32, 16)), "model")
    f = jax.shard_map(body, mesh=mesh, in_specs=P("model", None), out_specs=P(None, None, None), check_vma=False)
    return f, [array(mesh, (64, 32), P("model", None), jnp.bfloat16)], None


def narrowed(mesh):
    """f32 that is gathered, then narrowed."""
    def f(x):
        return cut(mesh, x, None, None).astype(jnp.bfloat16)
    return f, [array(mesh, (64, 32), P("model", None))], None


def repeated(mesh):
    """A row of each device that is repeated, then gathered."""
    def body(x):
        return lax.all_gather(jnp.broadcast_to(x[:, None], (16, 32)), "model", axis=0, tiled=True)
    f = jax.shard_map(body, mesh=mesh, in_specs=P("model"), out_specs=P(None, None), check_vma=False)
    return f, [array(mesh, (64,), P("model"))], None


def repeated_across(mesh):
    """A row of each device that is repeated, then gathered along what it is repeated along."""
    def body(x):
        return lax.all_gather(jnp.broadcast_to(x[:, None], (16, 32)), "model", axis=1, tiled=True)
    f = jax.shard_map(body, mesh=mesh, in_specs=P("model"), out_specs=P(None, None), check_vma=False)
    return f, [array(mesh, (64,), P("model"))], None


def thin(mesh):
    """A gathered array with dimensions of size 1."""
    def f(x):
        return cut(mesh, jnp.sin(x), None, None, None)
    return f, [array(mesh, (64, 1, 32), P("model", None, None))], None


def two_steps(mesh):
    """A sum over all devices that is cut by model only, beside one over data."""
    def f(x, y):
        return cut(mesh, jnp.sum(x, axis=0), "model"), cut(mesh, jnp.sum(y, axis=0), None)
    return f, [array(mesh, (128, 64), P(("data", "model"), None)), array(mesh, (128, 8), P("data", None))], None


def sum_of_sums(mesh):
    """A sum over model, then over data."""
    def body(x):
        return lax.psum(lax.psum(x, "model"), "data")
    f = jax.shard_map(body, mesh=mesh, in_specs=P(("data", "model")), out_specs=P(None), check_vma=False)
    return f, [array(mesh, (64,), P(("data", "model")))], None


def sum_of_gathers(mesh):
    """Two gathered arrays that are added."""
    def body(x, y):
        return lax.all_gather(x, "model", tiled=True) + lax.all_gather(y, "model", tiled=True)
    f = jax.shard_map(body, mesh=mesh, in_specs=(P("model"), P("model")), out_specs=P(None), check_vma=False)
    return f, [array(mesh, (64,), P("model")), array(mesh, (64,), P("model"))], None


def gradients(mesh):
    """Gradients of five layers, summed over data: what is combined."""
    def loss(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return jnp.sum(x * x)
    def f(weights, x):
        return jax.grad(loss)(weights, x)
    w = array(mesh, (32, 32), P(None, None))
    return f, [[w] * 5, array(mesh, (64, 32), P("data", None))], None


def weights(mesh):
    """Weights of three layers, gathered over data: what is combined."""
    def f(ws, x):
        for w in ws:
            x = jnp.tanh(x @ cut(mesh, w, None, None))
        return x
    return f, [[array(mesh, (32, 32), P("data", None)), array(mesh, (32, 32), P(None, "data")), array(mesh, (32, 32), P("data", None))],
               array(mesh, (64, 32), P("data", None))], None


def dead_carry(mesh):
    """A loop that carries what nobody reads."""
    def f(x):
        def step(i, carry):
            a, b = carry
            return a + cut(mesh, jnp.sum(x, axis=0), None), b * 2 + a
        return lax.fori_loop(0, 5, step, (jnp.zeros(32), jnp.ones(32)))[0]
    return f, [array(mesh, (64, 32), P("data", None))], None


def rings(mesh):
    """Two permutes along one ring."""
    def body(x, y):
        turn = [(i, (i + 1) % 4) for i in range(4)]
        return lax.ppermute(x, "model", turn), lax.ppermute(y, "model", turn)
    f = jax.shard_map(body, mesh=mesh, in_specs=(P("model"), P("model")), out_specs=(P("model"), P("model")))
    return f, [array(mesh, (64,), P("model")), array(mesh, (32,), P("model"))], None


# --- What is simplified in front of Shardy ---------------------------------------------------------------------------------------------------

def outer(mesh):
    """A product without contraction."""
    def f(x, y):
        return lax.dot_general(x, y, (((), ()), ((0,), (0,))))
    return f, [array(mesh, (64, 8), P("data")), array(mesh, (64, 4), P("model"))], None


def ones(mesh):
    """A product with a dimension of size 1."""
    return (lambda x, w: x @ w), [array(mesh, (64, 1, 32), P("data")), array(mesh, (32, 16), P(None, "model"))], None


def summed_twice(mesh):
    """A sum of a sum."""
    def f(x):
        y = lax.reduce(x, 0.0, lax.add, (2,))
        return lax.reduce(y, 0.0, lax.add, (0,))
    return f, [array(mesh, (64, 16, 8), P("data"))], None


def scattered(mesh):
    """What is added to a scatter-add."""
    def f(i, u, y):
        numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
        return y + lax.scatter_add(jnp.zeros((64, 16)), i, u, numbers)
    return f, [array(mesh, (32, 1), P("data"), jnp.int32), array(mesh, (32, 16), P("data")), array(mesh, (64, 16), P())], None


def scattered_twice(mesh):
    """A sum of two scatter-adds."""
    def f(i, u, j, v):
        numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
        add = lambda at, rows: lax.scatter_add(jnp.zeros((64, 16)), at, rows, numbers)
        return add(i, u) + add(j, v)
    at, rows = array(mesh, (32, 1), P("data"), jnp.int32), array(mesh, (32, 16), P("data"))
    return f, [at, rows, at, rows], None


def updated(mesh):
    """What is added to zeros with an update, as the gradient of a slice."""
    def f(x, u, i):
        return x + lax.dynamic_update_slice(jnp.zeros((64, 16)), u, (i[0], 0))
    return f, [array(mesh, (64, 16), P(None, "model")), array(mesh, (8, 16), P(None, "model")), array(mesh, (1,), P(), jnp.int32)], None


def spread(mesh):
    """A broadcast of an array with a dimension of size 1."""
    def f(x):
        return lax.broadcast_in_dim(x, (64, 1, 16), (0, 1))
    return f, [array(mesh, (64, 1), P("data"))], None


def turned(mesh):
    """The transpose of a product."""
    def f(x, y):
        return jnp.transpose(lax.dot_general(x, y, (((0,), (0,)), ((), ()))))
    return f, [array(mesh, (32, 8), P("data")), array(mesh, (32, 16), P("data", "model"))], None


def padded(mesh):
    """Padding between the elements of one."""
    def f(x):
        return lax.pad(x, 0.0, ((0, 1, 1), (0, 0, 1)))
    return f, [array(mesh, (1, 64), P(None, "data"))], None


def moved(mesh):
    """Reshapes in front of what is element-wise."""
    def f(x, y):
        return jnp.sin(jnp.reshape(x, (64, 32)) * jnp.reshape(y, (64, 32)))
    x = array(mesh, (64, 4, 8), P("data", "model"))
    return f, [x, x], None


def copied(mesh):
    """A broadcast of a broadcast, and a reshape of one."""
    def f(x):
        a = lax.broadcast_in_dim(x, (64, 4), (0,))
        return lax.broadcast_in_dim(a, (2, 4, 64), (2, 1)), lax.reshape(lax.broadcast_in_dim(x, (64, 4, 2), (0,)), (64, 8))
    return f, [array(mesh, (64,), P("data"))], None


def chosen(mesh):
    """A product with ones where an index is."""
    def f(x, i):
        return jnp.sin(jax.nn.one_hot(i, 32) * jnp.sin(x)[:, None])
    return f, [array(mesh, (64,), P("data")), array(mesh, (64,), P("data"), jnp.int32)], None


def contracted_one(mesh):
    """A product of which one dimension of size 1 is summed."""
    def f(x, y):
        return jnp.sin(jnp.sin(x) @ jnp.sin(y))
    return f, [array(mesh, (64, 1), P("data", None)), array(mesh, (1, 32), P(None, "model"))], None


def normalized(mesh):
    """Rows divided by their lengths, which keep a dimension of size 1, and a column of numbers beside a constant one."""
    def f(x, y):
        length = jax.lax.rsqrt(jnp.sum(x * x, -1, keepdims=True) + 1e-6)
        place = jnp.concatenate([y, y + 1], 0)[:, None] * 2
        both = jnp.tanh(jnp.concatenate([length, length * length], 0) * place)
        return x * length, both, jnp.sin(length) + jnp.max(x, 1, keepdims=True)
    return f, [array(mesh, (64, 32), P("data", None)), array(mesh, (64,), P("data"))], None


def picked(mesh):
    """One number of each row, and the gradient of this."""
    numbers = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(2,), start_index_map=(2,),
                                         operand_batching_dims=(0, 1), start_indices_batching_dims=(0, 1))

    def f(x, i):
        loss = lambda x: jnp.sum(jnp.sin(lax.gather(x, i[..., None], numbers, (1, 1, 1), mode="clip")))
        return jax.value_and_grad(loss)(x)
    return f, [array(mesh, (16, 8, 32), P("data", None, None)), array(mesh, (16, 8), P("data", None), jnp.int32)], None


def any_of_one(mesh):
    """Whether all, and whether any, of one truth."""
    def f(x):
        return jnp.sin(jnp.where(jnp.all(x > 0, -1), 1.0, 2.0)), jnp.sin(jnp.where(jnp.any(x > 1, -1), 1.0, 2.0))
    return f, [array(mesh, (64, 16, 1), P("data", None, None))], None


def repeated_after(mesh):
    """Numbers of each element of what is repeated."""
    def f(x):
        a = lax.broadcast_in_dim(x, (64, 16), (0,))
        return jnp.sin(-a) * jnp.sin(jnp.exp(a)) * jnp.sin(jnp.log(a)) * jnp.sin(jnp.tanh(a)) * jnp.sin(jnp.sqrt(a) * lax.rsqrt(a))
    return f, [array(mesh, (64,), P("data"))], None


def negated(mesh):
    """Sums of what is negated, which one has another reader, too."""
    def f(x, y, i):
        a = -jnp.sin(x)
        return jnp.sin(jnp.sum(-jnp.sin(y), 1)), jnp.sin(jnp.sum(a, 1)), jnp.cos(a), jnp.sum(-(i * i), 1), jnp.sin(jnp.max(-jnp.cos(y), 1))
    x = array(mesh, (64, 32), P("data", None))
    return f, [x, x, array(mesh, (64, 32), P("data", None), jnp.int32)], None


def padded_apart(mesh):
    """Zeros in front of an array that is cut over model, so many that one device has it all; and zeros after it."""
    def f(x, y):
        in_front, after = lax.pad(x, 0.0, ((0, 0, 0), (256, 0, 0))), lax.pad(y, 0.0, ((0, 88, 0), (0, 0, 0)))
        return cut(mesh, in_front, None, "model"), cut(mesh, after, "model", None)
    return f, [array(mesh, (16, 32), P(None, "model")), array(mesh, (8, 16), P("model", None))], None


def known_branch(mesh):
    """The gradient of a function of its own whose branch the platform decides."""
    inner = jax.jit(lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos))
    return jax.grad(lambda x, w: jnp.sum(jnp.sin(inner(x @ w)))), [array(mesh, (64, 64), P("data", "model")), array(mesh, (64, 32), P("model", None))], None


def selected_branches(mesh):
    """Two branches of two results that cost little, and two of a number."""
    def f(p, x, w, n):
        a, b = lax.cond(p, lambda x, w: (x * 2, w), lambda x, w: (jnp.exp(x), w + 1), x, w)
        n = lax.cond(n > 3, lambda n: n + 1, lambda n: n * n, n)
        return a, jnp.sin(b), n
    return f, [array(mesh, (), P(), jnp.bool_), array(mesh, (64, 64), P("data", None)), array(mesh, (64, 32), P(None, "model")), array(mesh, (), P())], None


def nearest(mesh):
    """Rows added up by the nearest centre: a product computes the choice that it reads."""
    def f(x, c):
        far = jnp.sum(x ** 2, 1, keepdims=True) - 2 * x @ c.T + jnp.sum(c ** 2, 1)
        mine = jax.nn.one_hot(jnp.argmin(far, 1), c.shape[0])
        return cut(mesh, mine.T @ x, "model", None)
    return f, [array(mesh, (4096, 32), P(("data", "model"))), array(mesh, (64, 32), P("model"))], None


def converted_beside(mesh):
    """What is widened in front of a concatenate, and what is narrowed after a slice."""
    def f(x, y, z):
        wide = jnp.sin(jnp.concatenate([x.astype(jnp.float32), z.astype(jnp.float32)], 1))
        return wide, jnp.cos(jnp.sin(y)[:, 8:24].astype(jnp.bfloat16))
    x = array(mesh, (64, 32), P("data", None), jnp.bfloat16)
    return f, [x, array(mesh, (64, 32), P("data", None)), x], None


def long_sums(mesh):
    """Long rows and columns, and a row with a major dimension, that are added up."""
    def f(x, y, z, w):
        return jnp.sum(x), jnp.sum(y, (0, 1)), jnp.sum(z, (0, 2)), jnp.max(w, 1)
    return f, [array(mesh, (192000,), P("data")), array(mesh, (64, 197, 64), P("data", None, None)), array(mesh, (32, 16, 64), P("data", None, None)),
               array(mesh, (4, 20011), P("data", None))], None


def sums_apart(mesh):
    """Sums over dimensions that are apart; the largest one is the first, the last, or small."""
    def f(x, y, z):
        return jnp.sum(jnp.sin(x), (1, 3)), jnp.sum(jnp.sin(y), (1, 2, 4)), jnp.sum(jnp.sin(z), (1, 3))
    return f, [array(mesh, (8, 512, 32, 16), P("data")), array(mesh, (8, 4, 4, 32, 128), P("data")), array(mesh, (8, 8, 32, 4), P("data"))], None


def narrow_steps(mesh):
    """Operations that a GPU has for float32 only, on bfloat16; converts there and back."""
    def f(x, y):
        a = jnp.tanh(x)
        b = a / y
        return b, jnp.sin(a.astype(jnp.float32)), jnp.abs(lax.rsqrt(y) + b), (y.astype(jnp.float32) * 2).astype(jnp.bfloat16).astype(jnp.float32) + 1
    x = array(mesh, (64, 64), P("data", "model"), jnp.bfloat16)
    return f, [x, x], None


def pooled(mesh):
    """The gradient of a max-pool: a choice in each window, and a scatter to its place."""
    def f(x, w):
        return jax.grad(lambda x: jnp.sum(w * lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")))(x)
    return f, [array(mesh, (16, 8, 8, 4), P("data", None, None, None), jnp.bfloat16),
               array(mesh, (16, 4, 4, 4), P("data", None, None, None), jnp.bfloat16)], None


PROGRAMS = {f.__name__: f for f in (call, scatter, scatter_reshaped, added, added_wide, added_scatter, accumulated, stacked,
                                    narrow, narrowed, repeated, repeated_across, thin, two_steps, sum_of_sums, sum_of_gathers,
                                    gradients, weights, dead_carry, rings, outer, ones, summed_twice, scattered, scattered_twice,
                                    spread, turned, padded, moved, copied, chosen, contracted_one, normalized, picked, any_of_one,
                                    repeated_after, negated, padded_apart, known_branch, selected_branches, nearest,
                                    converted_beside, long_sums, sums_apart, narrow_steps, pooled, updated)}
