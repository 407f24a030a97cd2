"""Whole steps in plain JAX, written before anything was measured on them: for record_steps.py, which takes them to the real compiler.

Each is a function of a mesh data=2, model=4 that gives (function, arguments, output shardings or None).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from programs import array, cut

F32, BF16, I32 = jnp.float32, jnp.bfloat16, jnp.int32


def like(mesh, shapes, specs, dtype=F32):
    """{name: array} of {name: shape}; a name without a spec is whole everywhere"""
    return {n: array(mesh, s, P(*specs.get(n, ())), dtype) for n, s in shapes.items()}


def norm(x, scale, bias=0.0):
    mean = jnp.mean(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.mean((x - mean) ** 2, -1, keepdims=True) + 1e-5) * scale + bias


def cross_entropy(logits, ids):
    logits = logits.astype(F32)
    picked = jnp.take_along_axis(logits, ids[..., None], -1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(logits, -1) - picked)


def sgd(p, g, rate=1e-2):
    return jax.tree.map(lambda a, b: a - rate * b.astype(a.dtype), p, g)


def momentum(p, m, g, rate=1e-2):
    m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
    return jax.tree.map(lambda a, b: a - rate * b, p, m), m


def adam(p, m, v, g, rate=1e-3):
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
    v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
    return jax.tree.map(lambda a, b, c: a - rate * b / (jnp.sqrt(c) + 1e-8), p, m, v), m, v


def clipped(g, limit=1.0):
    length = jnp.sqrt(sum(jnp.sum(jnp.square(x.astype(F32))) for x in jax.tree.leaves(g)))
    return jax.tree.map(lambda x: x * jnp.minimum(1.0, limit / length).astype(x.dtype), g), length


# --- Transformers ----------------------------------------------------------------------------------------------------------------------------

SHAPES = {"q": (256, 8, 32), "k": (256, 8, 32), "v": (256, 8, 32), "o": (8, 32, 256), "up": (256, 1024), "down": (1024, 256), "n1": (256,), "n2": (256,)}
TENSOR = {"q": (None, "model"), "k": (None, "model"), "v": (None, "model"), "o": ("model",), "up": (None, "model"), "down": ("model",)}
FULLY = {"q": ("data", "model"), "k": ("data", "model"), "v": ("data", "model"), "o": ("model", None, "data"),
         "up": ("data", "model"), "down": ("model", "data")}
ROWS = {n: ("data",) for n in ("q", "k", "v", "up", "down")} | {"o": (None, None, "data")}


def attend(p, x, causal=True):
    q, k, v = (jnp.einsum("btd,dnh->btnh", x, p[n]) for n in "qkv")
    s = jnp.einsum("btnh,bsnh->bnts", q, k) / q.shape[-1] ** 0.5
    if causal:
        t = jnp.arange(x.shape[1])
        s = jnp.where(t[:, None] >= t[None], s, -1e9)
    return jnp.einsum("btnh,nhd->btd", jnp.einsum("bnts,bsnh->btnh", jax.nn.softmax(s), v), p["o"])


def block(p, x):
    x = x + attend(p, norm(x, p["n1"]))
    return x + jax.nn.gelu(norm(x, p["n2"]) @ p["up"]) @ p["down"]


def language_model(mesh, specs, layers, table, scan=False, remat=False, rows=("data",), dtype=F32, tied=True, batch=16, time=128):
    """(loss, parameters, ids)"""
    one = like(mesh, SHAPES, specs, dtype)
    if scan:
        blocks = {n: array(mesh, (layers, *a.shape), P(None, *specs.get(n, ())), dtype) for n, a in one.items()}
    else:
        blocks = [dict(one) for _ in range(layers)]
    p = {"table": array(mesh, (2048, 256), P(*table), dtype), "blocks": blocks, "end": array(mesh, (256,), P(), dtype)}
    if not tied:
        p["out"] = array(mesh, (256, 2048), P(*table[::-1]), dtype)
    step = jax.checkpoint(block) if remat else block

    def loss(p, ids):
        x = cut(mesh, p["table"][ids[:, :-1]], rows, None, None)
        if scan:
            x = lax.scan(lambda x, q: (cut(mesh, step(q, x), rows, None, None), None), x, p["blocks"])[0]
        else:
            for q in p["blocks"]:
                x = cut(mesh, step(q, x), rows, None, None)
        x = norm(x, p["end"])
        return cross_entropy(x @ (p["table"].T if tied else p["out"]), ids[:, 1:])
    return loss, p, array(mesh, (batch, time + 1), P(rows, None), I32)


def lm_tensor(mesh):
    loss, p, ids = language_model(mesh, TENSOR, 3, ("model",))
    return lambda p, ids: sgd(p, jax.grad(loss)(p, ids)), [p, ids], None


def lm_tensor_untied_adam(mesh):
    loss, p, ids = language_model(mesh, TENSOR, 2, ("model",), tied=False)
    return lambda p, m, v, ids: adam(p, m, v, jax.grad(loss)(p, ids)), [p, p, p, ids], None


def lm_full_scan(mesh):
    loss, p, ids = language_model(mesh, FULLY, 6, ("model", "data"), scan=True, remat=True)
    return lambda p, m, ids: momentum(p, m, jax.grad(loss)(p, ids)), [p, p, ids], None


def lm_full_bf16(mesh):
    loss, p, ids = language_model(mesh, FULLY, 2, ("model", "data"), dtype=BF16)
    return lambda p, ids: sgd(p, jax.grad(loss)(p, ids)), [p, ids], None


def lm_rows_clipped(mesh):
    loss, p, ids = language_model(mesh, ROWS, 3, (None, "data"), rows=("data", "model"))

    def f(p, ids):
        g, length = clipped(jax.grad(loss)(p, ids))
        return sgd(p, g), length
    return f, [p, ids], None


def lm_data(mesh):
    loss, p, ids = language_model(mesh, {}, 4, (), rows=("data", "model"), scan=True)
    return lambda p, m, v, ids: adam(p, m, v, jax.grad(loss)(p, ids)), [p, p, p, ids], None


def lm_data_unrolled(mesh):
    loss, p, ids = language_model(mesh, {}, 4, (), rows=("data", "model"))

    def f(p, m, v, ids):
        value, g = jax.value_and_grad(loss)(p, ids)
        return *adam(p, m, v, g), value
    return f, [p, p, p, ids], None


def lm_accumulated(mesh):
    loss, p, ids = language_model(mesh, ROWS, 2, (None, "data"))

    def f(p, ids):
        def add(total, part):
            return jax.tree.map(jnp.add, total, jax.grad(loss)(p, part)), None
        g = lax.scan(add, jax.tree.map(jnp.zeros_like, p), jnp.reshape(ids, (4, 4, -1)))[0]
        return sgd(p, g)
    return f, [p, ids], None


def lm_sequence(mesh):
    """Activations between blocks are cut along time."""
    loss, p, ids = language_model(mesh, TENSOR, 2, ("model",))

    def cut_loss(p, ids):
        x = cut(mesh, p["table"][ids[:, :-1]], "data", "model", None)
        for q in p["blocks"]:
            x = cut(mesh, x + attend(q, norm(x, q["n1"])), "data", "model", None)
            x = cut(mesh, x + jax.nn.silu(norm(x, q["n2"]) @ q["up"]) @ q["down"], "data", "model", None)
        return cross_entropy(norm(x, p["end"]) @ p["table"].T, ids[:, 1:])
    return lambda p, ids: sgd(p, jax.grad(cut_loss)(p, ids)), [p, ids], None


def lm_mixed(mesh):
    """Weights in f32, work in bf16, the state of Adam cut over data."""
    loss, p, ids = language_model(mesh, TENSOR, 3, ("model",))
    half = lambda p: jax.tree.map(lambda a: a.astype(BF16), p)
    state = jax.tree.map(lambda a: array(mesh, a.shape, P("data") if a.sharding.spec[:1] in ((), (None,)) else a.sharding.spec), p)

    def f(p, m, v, ids):
        return adam(p, m, v, jax.tree.map(lambda a: a.astype(F32), jax.grad(lambda p: loss(half(p), ids))(p)))
    same = jax.tree.map(lambda a: a.sharding, (p, state, state))
    return f, [p, state, state, ids], same


def encoder(mesh):
    """Masked words: attention in both directions, whole weights, a head of its own."""
    shapes = SHAPES
    p = {"table": array(mesh, (1024, 256), P()), "place": array(mesh, (128, 256), P()), "blocks": [like(mesh, shapes, {}) for _ in range(3)],
         "head": array(mesh, (256, 256), P()), "bias": array(mesh, (1024,), P())}

    def loss(p, ids, mask):
        x = p["table"][jnp.where(mask, 3, ids)] + p["place"]
        for q in p["blocks"]:
            x = x + attend(q, norm(x, q["n1"]), causal=False)
            x = x + jax.nn.gelu(norm(x, q["n2"]) @ q["up"]) @ q["down"]
        logits = jax.nn.gelu(x @ p["head"]) @ p["table"].T + p["bias"]
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), ids[..., None], -1)[..., 0]
        return -jnp.sum(jnp.where(mask, picked, 0)) / jnp.sum(mask)
    rows = P(("data", "model"), None)
    return (lambda p, ids, mask: sgd(p, jax.grad(loss)(p, ids, mask))), [p, array(mesh, (32, 128), rows, I32), array(mesh, (32, 128), rows, jnp.bool_)], None


def one_token(mesh):
    """A token of each sequence against a cache."""
    p = {n: array(mesh, (4, *SHAPES[n]), P(None, *TENSOR.get(n, ()))) for n in SHAPES}
    cache = array(mesh, (4, 2, 16, 256, 8, 32), P(None, None, "data", None, "model", None))

    def f(p, table, cache, ids, place):
        def layer(x, qc):
            q, (keys, values) = qc
            h = norm(x, q["n1"])
            one = lambda n: jnp.einsum("btd,dnh->btnh", h, q[n])
            keys = lax.dynamic_update_slice(keys, one("k"), (0, place, 0, 0))
            values = lax.dynamic_update_slice(values, one("v"), (0, place, 0, 0))
            s = jnp.einsum("btnh,bsnh->bnts", one("q"), keys) / 32 ** 0.5
            s = jax.nn.softmax(jnp.where(jnp.arange(256) <= place, s, -1e9))
            x = x + jnp.einsum("btnh,nhd->btd", jnp.einsum("bnts,bsnh->btnh", s, values), q["o"])
            return x + jax.nn.silu(norm(x, q["n2"]) @ q["up"]) @ q["down"], jnp.stack([keys, values])
        x, cache = lax.scan(layer, table[ids][:, None], (p, cache))
        return jnp.argmax(x[:, 0] @ table.T, -1), cache
    return f, [p, array(mesh, (2048, 256), P("model", None)), cache, array(mesh, (16,), P("data"), I32), array(mesh, (), P(), I32)], None


# --- Experts ---------------------------------------------------------------------------------------------------------------------------------

def experts(mesh, top, shared=False):
    p = {"router": array(mesh, (256, 8), P()), "up": array(mesh, (8, 256, 512), P("model", None, None)),
         "down": array(mesh, (8, 512, 256), P("model", None, None)),
         "out": array(mesh, (256, 256), P())}

    def loss(p, x, y):
        gate = jax.nn.softmax(x @ p["router"])
        weight, chosen = lax.top_k(gate, top)
        hot = jax.nn.one_hot(chosen, 8)
        place = jnp.cumsum(jnp.reshape(hot, (x.shape[0], -1, 8)), 1).reshape(hot.shape) - 1
        slot = jax.nn.one_hot(jnp.where(place < 40, place, 40).astype(I32), 40) * hot[..., None]
        join = jnp.einsum("btk,btkec->btec", weight, slot)
        sent = cut(mesh, jnp.einsum("btec,btd->ebcd", (join > 0).astype(F32), x), "model", "data", None, None)
        h = jax.nn.gelu(jnp.einsum("ebcd,edf->ebcf", sent, p["up"]))
        back = cut(mesh, jnp.einsum("ebcf,efd->ebcd", h, p["down"]), "model", "data", None, None)
        z = jnp.einsum("btec,ebcd->btd", join, back) + (x if shared else 0)
        even = 8 * jnp.mean(jnp.mean(hot[:, :, 0], (0, 1)) * jnp.mean(gate, (0, 1)))
        return jnp.mean((z @ p["out"] - y) ** 2) + 0.01 * even
    x = array(mesh, (16, 128, 256), P(("data", "model"), None, None))
    return (lambda p, x, y: sgd(p, jax.grad(loss)(p, x, y))), [p, x, x], None


def experts_one(mesh):
    return experts(mesh, 1)


def experts_two(mesh):
    return experts(mesh, 2, shared=True)


def experts_by_hand(mesh):
    """All-to-all in a shard_map, there and back."""
    def body(x, up, down, router):
        to = jnp.argmax(x @ router, -1)
        sent = jnp.einsum("te,td->etd", jax.nn.one_hot(to, 8), x)
        sent = lax.all_to_all(sent, "model", 0, 1, tiled=True)
        h = jnp.einsum("etf,efd->etd", jax.nn.relu(jnp.einsum("etd,edf->etf", sent, up)), down)
        return jnp.sum(lax.all_to_all(h, "model", 1, 0, tiled=True), 0)
    layer = jax.shard_map(body, mesh=mesh, in_specs=(P(("data", "model")), P("model"), P("model"), P()), out_specs=P(("data", "model")))

    def loss(p, x):
        return jnp.mean(layer(x, *p) ** 2)
    p = (array(mesh, (8, 128, 256), P("model")), array(mesh, (8, 256, 128), P("model")), array(mesh, (128, 8), P()))
    return (lambda p, x: sgd(p, jax.grad(loss)(p, x))), [p, array(mesh, (512, 128), P(("data", "model")))], None


# --- Images ----------------------------------------------------------------------------------------------------------------------------------

def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def conv_net(mesh):
    """Batch norm over the whole batch, momentum."""
    p = {"first": array(mesh, (3, 3, 3, 32), P()), "last": array(mesh, (64, 10), P()),
         "blocks": [{"a": array(mesh, (3, 3, i, o), P()), "b": array(mesh, (3, 3, o, o), P()), "s": array(mesh, (o,), P()),
                     "skip": array(mesh, (1, 1, i, o), P())}
                    for i, o in ((32, 32), (32, 64), (64, 64))]}

    def batch_norm(x, scale):
        mean = jnp.mean(x, (0, 1, 2))
        return (x - mean) * lax.rsqrt(jnp.var(x, (0, 1, 2)) + 1e-5) * scale

    def loss(p, x, y):
        x = conv(x, p["first"])
        for q in p["blocks"]:
            h = jax.nn.relu(batch_norm(conv(x, q["a"], 2), q["s"]))
            x = jax.nn.relu(conv(x, q["skip"], 2) + conv(h, q["b"]))
        return cross_entropy(jnp.mean(x, (1, 2)) @ p["last"], y)
    return (lambda p, m, x, y: momentum(p, m, jax.grad(loss)(p, x, y))), [p, p, array(mesh, (64, 32, 32, 3), P(("data", "model"))),
                                                                          array(mesh, (64,), P(("data", "model")), I32)], None


def conv_channels(mesh):
    """Channels over model, batch over data."""
    p = [array(mesh, (3, 3, 16, 64), P(None, None, None, "model")), array(mesh, (3, 3, 64, 64), P(None, None, "model", None)),
         array(mesh, (3, 3, 64, 16), P(None, None, None, "model"))]

    def loss(p, x):
        for w in p:
            x = jax.nn.relu(conv(x, w))
        return jnp.mean(x ** 2)
    return (lambda p, x: sgd(p, jax.grad(loss)(p, x))), [p, array(mesh, (16, 32, 32, 16), P("data"))], None


def conv_space(mesh):
    """Height over model: halos."""
    p = [array(mesh, (3, 3, 8, 16), P()), array(mesh, (3, 3, 16, 16), P()), array(mesh, (1, 1, 16, 4), P())]

    def loss(p, x):
        for w in p[:-1]:
            x = jax.nn.relu(conv(x, w))
        return jnp.mean(conv(x, p[-1]) ** 2)
    return (lambda p, x: sgd(p, jax.grad(loss)(p, x))), [p, array(mesh, (8, 64, 32, 8), P("data", "model"))], None


def patches(mesh):
    """A vision transformer, tensors over model."""
    p = {"cut": array(mesh, (192, 256), P()), "place": array(mesh, (64, 256), P()), "blocks": [like(mesh, SHAPES, TENSOR) for _ in range(2)],
         "head": array(mesh, (256, 100), P())}

    def loss(p, x, y):
        b = x.shape[0]
        x = jnp.transpose(jnp.reshape(x, (b, 8, 8, 8, 8, 3)), (0, 1, 3, 2, 4, 5)).reshape(b, 64, 192) @ p["cut"] + p["place"]
        for q in p["blocks"]:
            x = x + attend(q, norm(x, q["n1"]), causal=False)
            x = x + jax.nn.gelu(norm(x, q["n2"]) @ q["up"]) @ q["down"]
        return cross_entropy(jnp.mean(x, 1) @ p["head"], y)
    return (lambda p, m, v, x, y: adam(p, m, v, jax.grad(loss)(p, x, y))), [p, p, p, array(mesh, (32, 64, 64, 3), P("data")),
                                                                            array(mesh, (32,), P("data"), I32)], None


# --- Sequences and loops ---------------------------------------------------------------------------------------------------------------------

def gated(mesh):
    """A GRU over time, units over model."""
    p = {"in": array(mesh, (64, 3, 256), P(None, None, "model")), "again": array(mesh, (256, 3, 256), P(None, None, "model")),
         "out": array(mesh, (256, 64), P("model", None))}

    def loss(p, x):
        def step(h, x):
            a, b = jnp.einsum("bd,dgh->gbh", x, p["in"]), jnp.einsum("bd,dgh->gbh", h, p["again"])
            r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
            h = (1 - z) * jnp.tanh(a[2] + r * b[2]) + z * h
            return h, h @ p["out"]
        h = lax.scan(step, jnp.zeros((x.shape[1], 256)), x)[1]
        return jnp.mean((h[:-1] - x[1:]) ** 2)

    def f(p, x):
        g, length = clipped(jax.grad(loss)(p, x))
        return sgd(p, g), length
    return f, [p, array(mesh, (32, 32, 64), P(None, "data", None))], None


def linear_recurrence(mesh):
    """A state space layer by an associative scan."""
    p = {"in": array(mesh, (64, 256), P(None, "model")), "rate": array(mesh, (256,), P("model")), "out": array(mesh, (256, 64), P("model", None))}

    def loss(p, x):
        u = x @ p["in"]
        a = jnp.broadcast_to(jax.nn.sigmoid(p["rate"]), u.shape)
        h = lax.associative_scan(lambda left, right: (left[0] * right[0], right[0] * left[1] + right[1]), (a, u), axis=1)[1]
        return jnp.mean((jax.nn.gelu(h) @ p["out"] - x) ** 2)
    return (lambda p, x: sgd(p, jax.grad(loss)(p, x))), [p, array(mesh, (16, 64, 64), P("data"))], None


def pipeline(mesh):
    """Four stages over model, microbatches handed on by permutes."""
    def body(w, x):
        w, stage = w[0], lax.axis_index("model")
        turn = [(i, (i + 1) % 4) for i in range(4)]

        def tick(carry, t):
            held, done = carry
            held = jnp.where(stage == 0, x[jnp.minimum(t, 5)], held)
            out = jnp.tanh(held @ w)
            done = done.at[jnp.maximum(t - 3, 0)].set(jnp.where(stage == 3, out, 0))
            return (lax.ppermute(out, "model", turn), done), None
        start = lax.pcast(jnp.zeros((x.shape[1], 128)), ("data", "model"), to="varying"), lax.pcast(jnp.zeros_like(x), ("model",), to="varying")
        return lax.psum(lax.scan(tick, start, jnp.arange(9))[0][1], "model")
    run = jax.shard_map(body, mesh=mesh, in_specs=(P("model"), P(None, "data")), out_specs=P(None, "data"))

    def loss(w, x):
        return jnp.mean(run(w, x) ** 2)
    return (lambda w, x: w - jax.grad(loss)(w, x)), [array(mesh, (4, 128, 128), P("model")), array(mesh, (6, 32, 128), P(None, "data"))], None


def layers_by_hand(mesh):
    """Megatron's layer in a shard_map, gradients through it."""
    def body(x, up, down):
        return lax.psum(jax.nn.gelu(x @ up) @ down, "model")
    layer = jax.shard_map(body, mesh=mesh, in_specs=(P("data"), P(None, "model"), P("model")), out_specs=P("data"))

    def loss(ws, x):
        for up, down in ws:
            x = x + layer(x, up, down)
        return jnp.mean(x ** 2)
    w = (array(mesh, (128, 512), P(None, "model")), array(mesh, (512, 128), P("model")))
    return (lambda ws, x: sgd(ws, jax.grad(loss)(ws, x))), [[w] * 3, array(mesh, (64, 128), P("data"))], None


def solver(mesh):
    """Conjugate gradients of a normal equation, rows over both axes."""
    def f(a, b):
        def step(_, c):
            x, r, d, rr = c
            ad = a.T @ (a @ d)
            t = rr / jnp.dot(d, ad)
            x, r = x + t * d, r - t * ad
            new = jnp.dot(r, r)
            return x, r, r + new / rr * d, new
        r = a.T @ b
        return lax.fori_loop(0, 20, step, (jnp.zeros_like(r), r, r, jnp.dot(r, r)))[0]
    return f, [array(mesh, (1024, 256), P(("data", "model"), None)), array(mesh, (1024,), P(("data", "model")))], None


# --- Tables, generators and others -----------------------------------------------------------------------------------------------------------

def recommender(mesh):
    """Tables by rows, a perceptron above."""
    p = {"users": array(mesh, (4096, 64), P("model", None)), "items": array(mesh, (8192, 64), P("model", None)),
         "ws": [array(mesh, s, P()) for s in ((128, 256), (256, 64), (64, 1))]}

    def loss(p, users, items, y):
        x = jnp.concatenate([p["users"][users], jnp.mean(p["items"][items], 1)], -1)
        for w in p["ws"][:-1]:
            x = jax.nn.relu(x @ w)
        x = (x @ p["ws"][-1])[:, 0]
        return jnp.mean(jnp.maximum(x, 0) - x * y + jnp.log1p(jnp.exp(-jnp.abs(x))))
    return (lambda p, u, i, y: sgd(p, jax.grad(loss)(p, u, i, y))), [p, array(mesh, (256,), P("data"), I32), array(mesh, (256, 10), P("data"), I32),
                                                                     array(mesh, (256,), P("data"))], None


def contrast(mesh):
    """Two towers, all pairs of the batch."""
    p = {n: [array(mesh, (128, 512), P("data", "model")), array(mesh, (512, 64), P("model", "data"))] for n in "ab"}

    def tower(ws, x):
        h = jax.nn.relu(x @ ws[0]) @ ws[1]
        return h / jnp.linalg.norm(h, axis=-1, keepdims=True)

    def loss(p, x, y):
        s = tower(p["a"], x) @ tower(p["b"], y).T * 10
        pick = jnp.arange(s.shape[0])
        return cross_entropy(s, pick) + cross_entropy(s.T, pick)
    x = array(mesh, (128, 128), P("data"))
    return (lambda p, x, y: sgd(p, jax.grad(loss)(p, x, y))), [p, x, x], None


def auto_encoder(mesh):
    """Noise of a key, two losses, Adam with clipping."""
    p = {n: array(mesh, s, P(*spec)) for n, s, spec in (("e1", (256, 512), (None, "model")), ("e2", (512, 64), ("model", None)),
                                                        ("d1", (32, 512), (None, "model")), ("d2", (512, 256), ("model", None)))}

    def loss(p, x, key):
        mean, spread = jnp.split(jax.nn.relu(x @ p["e1"]) @ p["e2"], 2, -1)
        z = mean + jnp.exp(spread) * jax.random.normal(key, mean.shape)
        y = jax.nn.relu(z @ p["d1"]) @ p["d2"]
        return jnp.mean((y - x) ** 2) + 1e-3 * jnp.mean(jnp.exp(2 * spread) + mean ** 2 - 2 * spread)

    def f(p, m, v, x, seed):
        g, _ = clipped(jax.grad(loss)(p, x, jax.random.key(seed)))
        return adam(p, m, v, g)
    return f, [p, p, p, array(mesh, (128, 256), P("data")), array(mesh, (), P(), jnp.uint32)], None


def perceptron_two_axes(mesh):
    """Weights over both axes, no constraint inside, losses of both sides logged."""
    ws = [array(mesh, (512, 512), P("data", "model") if k % 2 == 0 else P("model", "data")) for k in range(4)]

    def loss(ws, x, y):
        for w in ws:
            x = jnp.tanh(x @ w)
        return jnp.mean((x - y) ** 2), jnp.max(jnp.abs(x))

    def f(ws, m, x, y):
        (value, top), g = jax.value_and_grad(loss, has_aux=True)(ws, x, y)
        return *momentum(ws, m, g), value, top
    x = array(mesh, (256, 512), P("data"))
    return f, [ws, ws, x, x], None


def low_rank(mesh):
    """Frozen weights with small trained additions."""
    frozen = [array(mesh, (256, 256), P("data", "model")) for _ in range(4)]
    p = [(array(mesh, (256, 8), P()), array(mesh, (8, 256), P())) for _ in range(4)]

    def loss(p, frozen, x):
        for (a, b), w in zip(p, frozen):
            x = jax.nn.relu(x @ w + x @ a @ b)
        return jnp.mean(x ** 2)
    return (lambda p, frozen, x: sgd(p, jax.grad(loss)(p, frozen, x))), [p, frozen, array(mesh, (64, 256), P("data"))], None


def averaged(mesh):
    """A data-parallel step, by hand, with a moving average of the weights."""
    def body(ws, slow, x, y):
        def loss(ws):
            h = x
            for w in ws:
                h = jnp.tanh(h @ w)
            return jnp.mean((h - y) ** 2)
        value, g = jax.value_and_grad(loss)(ws)
        g = lax.pmean(g, ("data", "model"))
        ws = sgd(ws, g)
        return ws, jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b, slow, ws), lax.pmean(value, ("data", "model"))
    every = P(("data", "model"))
    f = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), every, every), out_specs=P(), check_vma=False)
    ws = [array(mesh, (256, 256), P()) for _ in range(3)]
    x = array(mesh, (128, 256), every)
    return f, [ws, ws, x, x], None


def distilled(mesh):
    """A large net teaches a small one; tensor parallel both."""
    big = [array(mesh, (256, 1024), P(None, "model")), array(mesh, (1024, 128), P("model", None))]
    small = [array(mesh, (256, 64), P(None, "model")), array(mesh, (64, 128), P("model", None))]

    def run(ws, x):
        return jax.nn.relu(x @ ws[0]) @ ws[1]

    def loss(small, big, x, y):
        mine, theirs = run(small, x), lax.stop_gradient(run(big, x))
        return cross_entropy(mine, y) - jnp.mean(jnp.sum(jax.nn.softmax(theirs) * jax.nn.log_softmax(mine), -1))
    return (lambda s, b, x, y: sgd(s, jax.grad(loss)(s, b, x, y))), [small, big, array(mesh, (128, 256), P("data")), array(mesh, (128,), P("data"), I32)], None


PROGRAMS = {f.__name__: f for f in (
    lm_tensor, lm_tensor_untied_adam, lm_full_scan, lm_full_bf16, lm_rows_clipped, lm_data, lm_data_unrolled, lm_accumulated, lm_sequence, lm_mixed, encoder,
    one_token, experts_one, experts_two, experts_by_hand, conv_net, conv_channels, conv_space, patches, gated, linear_recurrence, pipeline, layers_by_hand,
    solver, recommender, contrast, auto_encoder, perceptron_two_axes, low_rank, averaged, distilled)}
