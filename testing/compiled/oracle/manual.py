"""Collectives by hand, memory of the host, work on the host.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.compute_on import compute_on
from jax.sharding import NamedSharding, PartitionSpec as P

from arrays import BF16, F32, I32, array, sgd
from networks import gpt


def mapped(mesh, body, into, out):
    return jax.shard_map(body, mesh=mesh, in_specs=into, out_specs=out, check_vma=False)


def collectives(mesh):
    """Each collective of JAX once, over one axis or both."""

    def body(x):
        n = lax.axis_size("model")
        return (
            lax.psum(x, ("data", "model")),
            lax.pmax(x, "data"),
            lax.pmean(x.astype(BF16), "model"),
            lax.all_gather(x, "model", axis=1, tiled=True),
            lax.all_gather(x, "data"),
            lax.psum_scatter(x, "model", scatter_dimension=1, tiled=True),
            lax.all_to_all(x, "model", 1, 0, tiled=True),
            lax.ppermute(x, "model", [(i, (i + 1) % n) for i in range(n)]),
            lax.pshuffle(x, "data", [1, 0]),
            x * lax.axis_index("model"),
        )

    out = (
        P(),
        P(None, "model"),
        P("data"),
        P("data"),
        P(None, "data", "model"),
        P("data", "model"),
        P(("data", "model")),
        P("data", "model"),
        P("data", "model"),
        P("data", "model"),
    )
    return mapped(mesh, body, P("data", "model"), out), (array(mesh, (256, 1024), "data", "model"),), ()


def ring_attention(mesh):
    """Keys and values go round a ring while the softmax is kept running."""

    def body(q, k, v):
        n = lax.axis_size("model")
        ring = [(i, (i + 1) % n) for i in range(n)]

        def turn(state, _):
            k, v, most, total, out = state
            scores = jnp.einsum("bthe,bshe->bhts", q, k).astype(F32)
            new = jnp.maximum(most, scores.max(-1))
            p, old = jnp.exp(scores - new[..., None]), jnp.exp(most - new)
            out = out * old[..., None] + jnp.einsum("bhts,bshe->bhte", p.astype(BF16), v)
            return (lax.ppermute(k, "model", ring), lax.ppermute(v, "model", ring), new, total * old + p.sum(-1), out), None

        b, t, h, e = q.shape
        first = (k, v, jnp.full((b, h, t), -jnp.inf), jnp.zeros((b, h, t)), jnp.zeros((b, h, t, e)))
        _, _, _, total, out = lax.scan(turn, first, None, length=n)[0]
        return jnp.swapaxes(out / total[..., None], 1, 2).astype(BF16)

    spec = P("data", "model")
    loss = lambda q, k, v: jnp.mean(mapped(mesh, body, (spec,) * 3, spec)(q, k, v).astype(F32) ** 2)
    x = array(mesh, (4, 2048, 8, 64), "data", "model", dtype=BF16)
    return jax.grad(loss, (0, 1, 2)), (x, x, x), ()


def pipeline(mesh):
    """Stages on one axis, micro-batches through ppermute."""

    def body(ws, xs):
        n, here = lax.axis_size("model"), lax.axis_index("model")

        def tick(state, t):
            x = jnp.where(here == 0, xs[jnp.minimum(t, xs.shape[0] - 1)], state)
            y = lax.scan(lambda y, w: (jnp.tanh(y @ w), None), x, ws[0])[0]
            return lax.ppermute(y, "model", [(i, i + 1) for i in range(n - 1)]), y

        ys = lax.scan(tick, jnp.zeros_like(xs[0]), jnp.arange(xs.shape[0] + n - 1))[1][n - 1 :]
        return lax.psum(jnp.where(here == n - 1, ys, 0), "model")

    f = mapped(mesh, body, (P("model"), P(None, "data")), P(None, "data"))
    loss = lambda ws, xs: jnp.mean(f(ws, xs) ** 2)
    return lambda ws, xs: sgd(ws, jax.grad(loss)(ws, xs)), (array(mesh, (4, 3, 256, 256), "model"), array(mesh, (8, 64, 256), None, "data")), (0,)


def ragged_exchange(mesh):
    """Rows sorted by expert, sent in uneven parts to the devices of the experts, and multiplied there."""

    def body(x, w, sizes):
        begin = jnp.cumsum(sizes) - sizes
        received = lax.all_to_all(sizes.reshape(-1, 1), "model", 0, 0).reshape(-1)
        room = jnp.zeros((2 * x.shape[0], x.shape[1]), x.dtype)
        at = lax.all_to_all((jnp.cumsum(received) - received).reshape(-1, 1), "model", 0, 0).reshape(-1)
        rows = lax.ragged_all_to_all(x, room, begin, sizes, at, received, axis_name="model")
        return lax.ragged_dot(rows, w, received[: w.shape[0]])

    f = mapped(mesh, body, (P("model"), P("model"), P("model")), P("model"))
    return f, (array(mesh, (2048, 256), "model", dtype=BF16), array(mesh, (16, 256, 512), "model", dtype=BF16), array(mesh, (16,), "model", dtype=I32)), ()


def ragged_dot(mesh):
    """Groups of uneven size, one product each, and the gradient."""

    def loss(w, x, sizes):
        return jnp.mean(lax.ragged_dot(jax.nn.relu(lax.ragged_dot(x, w[0], sizes)), w[1], sizes).astype(F32) ** 2)

    w = [array(mesh, (8, 256, 512), dtype=BF16), array(mesh, (8, 512, 256), dtype=BF16)]
    return jax.grad(loss), (w, array(mesh, (2048, 256), "data", dtype=BF16), array(mesh, (8,), dtype=I32)), ()


def offload(mesh):
    """Moments of the optimizer in the memory of the host, fetched and put back."""
    host = lambda *spec: NamedSharding(mesh, P(*spec), memory_kind="pinned_host")
    here = lambda *spec: NamedSharding(mesh, P(*spec), memory_kind="device")

    def step(w, m, x):
        g = jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        moment = 0.9 * jax.device_put(m, here(None, "model")) + g
        return w - 0.01 * moment, jax.device_put(moment, host(None, "model"))

    return (
        step,
        (array(mesh, (2048, 2048), None, "model"), array(mesh, (2048, 2048), None, "model", memory="pinned_host"), array(mesh, (512, 2048), "data")),
        (0,),
    )


def offload_remat(mesh):
    """Activations of a scanned decoder wait on the host for the backward pass."""
    return gpt(mesh, jax.checkpoint_policies.offload_dot_with_no_batch_dims("device", "pinned_host"))


def host_work(mesh):
    """A part of the step runs on the host."""
    host, here = jax.memory.Space.Host, jax.memory.Space.Device
    work = compute_on(lambda y: jnp.sort(y * 2, -1), compute_type="device_host", out_memory_spaces=host)
    f = lambda x, w: jax.device_put(work(jax.device_put(x @ w, host)), here) + 1
    return f, (array(mesh, (256, 512), "data"), array(mesh, (512, 512))), ()


def fully_sharded(mesh):
    """A wide network whose weights are cut over both axes; for many devices."""

    def loss(ws, x):
        for up, down in ws:
            x = x + jax.nn.relu(x @ up.astype(BF16)) @ down.astype(BF16)
        return jnp.mean(x.astype(F32) ** 2)

    w = (array(mesh, (1024, 4096), "data", "model"), array(mesh, (4096, 1024), "model", "data"))
    return lambda ws, x: sgd(ws, jax.grad(loss)(ws, x)), ([w] * 3, array(mesh, (4096, 1024), ("data", "model"), dtype=BF16)), (0,)
