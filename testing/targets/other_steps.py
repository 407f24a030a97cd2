"""Whole steps of other kinds than those of steps.py, written before anything was measured on them; for record_steps.py.

Each is a function of a mesh data=2, model=4 that gives (function, arguments, output shardings or None).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from programs import array, cut
from steps import BF16, F32, I32, ROWS, SHAPES, TENSOR, adam, attend, block, clipped, conv, cross_entropy, language_model, like, norm, sgd


def scaled(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def adafactor(p, rows, columns, g, rate=1e-2):
    """Second moments by rows and columns of each matrix."""
    rows = jax.tree.map(lambda r, a: 0.9 * r + 0.1 * jnp.mean(a * a, -1), rows, g)
    columns = jax.tree.map(lambda c, a: 0.9 * c + 0.1 * jnp.mean(a * a, -2), columns, g)

    def update(a, b, r, c):
        step = b * lax.rsqrt(r / jnp.mean(r, -1, keepdims=True))[..., None] * lax.rsqrt(c)[..., None, :]
        return a - rate * step / jnp.maximum(1.0, jnp.sqrt(jnp.mean(step * step)))
    return jax.tree.map(update, p, g, rows, columns), rows, columns


def cross_attend(p, x, memory, bias=0.0):
    q = jnp.einsum("btd,dnh->btnh", x, p["q"])
    k, v = (jnp.einsum("bsd,dnh->bsnh", memory, p[n]) for n in "kv")
    s = jnp.einsum("btnh,bsnh->bnts", q, k) + bias
    return jnp.einsum("btnh,nhd->btd", jnp.einsum("bnts,bsnh->btnh", jax.nn.softmax(s), v), p["o"])


def translation(mesh):
    """An encoder and a decoder with distances that the scores learn, tensors over model, Adafactor."""
    matrices = {"q": (256, 256), "k": (256, 256), "v": (256, 256), "o": (256, 256), "up": (256, 512), "gate": (256, 512), "down": (512, 256)}
    rows = ("o", "down")
    spec = {n: ("model", None) if n in rows else (None, "model") for n in matrices}
    p = {"table": array(mesh, (2048, 256), P("model", None)), "far": array(mesh, (32, 8), P(None, "model")),
         "encoder": [like(mesh, matrices, spec) for _ in range(2)], "decoder": [{k: like(mesh, matrices, spec) for k in ("self", "cross")} for _ in range(2)]}

    def heads(q):
        cuts = {n: q[n].reshape(256, 8, 32) for n in "qkv"}
        return cuts | {"o": q["o"].reshape(8, 32, 256)}

    def bias(p, t):
        away = jnp.clip(jnp.arange(t)[None] - jnp.arange(t)[:, None], -16, 15) + 16
        return jnp.transpose(p["far"][away], (2, 0, 1))[None]

    def feed(q, x):
        return (jax.nn.gelu(x @ q["gate"]) * (x @ q["up"])) @ q["down"]

    def loss(p, source, target):
        x = p["table"][source]
        b = bias(p, x.shape[1])
        for q in p["encoder"]:
            x = x + cross_attend(heads(q), scaled(x, 1.0), scaled(x, 1.0), b)
            x = x + feed(q, scaled(x, 1.0))
        y, t = p["table"][target[:, :-1]], target.shape[1] - 1
        late = jnp.where(jnp.arange(t)[:, None] >= jnp.arange(t)[None], 0.0, -1e9)
        for q in p["decoder"]:
            h = scaled(y, 1.0)
            y = y + cross_attend(heads(q["self"]), h, h, late + bias(p, t))
            y = y + cross_attend(heads(q["cross"]), scaled(y, 1.0), x)
            y = y + feed(q["self"], scaled(y, 1.0))
        return cross_entropy(scaled(y, 1.0) @ p["table"].T, target[:, 1:])
    less = lambda drop: jax.tree.map(lambda a: array(mesh, tuple(s for k, s in enumerate(a.shape) if k != drop), P(*(
        s for k, s in enumerate((*a.sharding.spec, None, None)[:2]) if k != drop))), p)
    ids = array(mesh, (16, 65), P("data", None), I32)
    return (lambda p, r, c, s, t: adafactor(p, r, c, jax.grad(loss)(p, s, t))), [p, less(1), less(0), ids, ids], None


def selective(mesh):
    """State space layers with gates that depend on the input, inner channels over model, a scan over time."""
    shapes = {"in": (128, 512), "conv": (4, 256), "low": (256, 40), "high": (8, 256), "a": (256, 16), "skip": (256,), "out": (256, 128), "n": (128,)}
    specs = {"in": (None, "model"), "conv": (None, "model"), "low": ("model",), "high": (None, "model"), "a": ("model",), "skip": ("model",), "out": ("model",)}
    p = {"table": array(mesh, (1024, 128), P("model", None)), "layers": [like(mesh, shapes, specs) for _ in range(2)]}

    def layer(q, x):
        u, gate = jnp.split(scaled(x, q["n"]) @ q["in"], 2, -1)
        padded = jnp.pad(u, ((0, 0), (3, 0), (0, 0)))
        u = jax.nn.silu(sum(padded[:, k:k + u.shape[1]] * q["conv"][k] for k in range(4)))
        step, b, c = jnp.split(u @ q["low"], (8, 24), -1)
        step = jax.nn.softplus(step @ q["high"])

        def tick(h, now):
            u, step, b, c = now
            h = jnp.exp(-step[..., None] * jnp.exp(q["a"])) * h + (step * u)[..., None] * b[:, None]
            return h, jnp.einsum("bds,bs->bd", h, c)
        start = jnp.zeros((u.shape[0], 256, 16))
        y = lax.scan(tick, start, jax.tree.map(lambda a: jnp.swapaxes(a, 0, 1), (u, step, b, c)))[1]
        return x + ((jnp.swapaxes(y, 0, 1) + u * q["skip"]) * jax.nn.silu(gate)) @ q["out"]

    def loss(p, ids):
        x = p["table"][ids[:, :-1]]
        for q in p["layers"]:
            x = layer(q, x)
        return cross_entropy(x @ p["table"].T, ids[:, 1:])

    def f(p, m, v, ids):
        g, length = clipped(jax.grad(loss)(p, ids))
        return *adam(p, m, v, g), length
    return f, [p, p, p, array(mesh, (16, 65), P("data", None), I32)], None


def graph_attention(mesh):
    """Messages along edges, softmax over the edges into a node; edges over both axes, nodes whole."""
    p = [{"w": array(mesh, (64, 4, 16), P()), "from": array(mesh, (4, 16), P()), "to": array(mesh, (4, 16), P()), "b": array(mesh, (64,), P())}
         for _ in range(2)]

    def layer(q, x, source, target):
        h = jnp.einsum("nd,dhk->nhk", x, q["w"])
        score = jnp.sum(h * q["from"], -1)[source] + jnp.sum(h * q["to"], -1)[target]
        score = jax.nn.leaky_relu(score)
        top = jax.ops.segment_max(lax.stop_gradient(score), target, 1024)
        weight = jnp.exp(score - top[target])
        whole = jax.ops.segment_sum(weight, target, 1024)
        out = jax.ops.segment_sum(weight[..., None] * h[source], target, 1024) / (whole[..., None] + 1e-9)
        return jax.nn.elu(out.reshape(1024, 64) + q["b"])

    def loss(p, x, edges, y):
        for q in p:
            x = layer(q, x, edges[0], edges[1])
        return cross_entropy(x, y)
    edges = array(mesh, (2, 8192), P(None, ("data", "model")), I32)
    return (lambda p, x, e, y: sgd(p, jax.grad(loss)(p, x, e, y))), [p, array(mesh, (1024, 64), P()), edges, array(mesh, (1024,), P(), I32)], None


def denoiser(mesh):
    """A U-net with group norms, an embedded time, attention in the middle; data parallel, a slow copy of the weights."""
    p = {"time": [array(mesh, (64, 128), P()), array(mesh, (128, 128), P())], "first": array(mesh, (3, 3, 3, 32), P()), "last": array(mesh, (3, 3, 32, 3), P()),
         "mid": {n: array(mesh, (64, 64), P()) for n in "qkvo"}}
    for name, i, o in (("down", 32, 32), ("low", 32, 64), ("up", 96, 32)):
        p[name] = {"a": array(mesh, (3, 3, i, o), P()), "b": array(mesh, (3, 3, o, o), P()), "t": array(mesh, (128, o), P()),
                   "s": array(mesh, (1, 1, i, o), P()), "g": array(mesh, (i,), P()), "h": array(mesh, (o,), P())}

    def group_norm(x, scale):
        g = x.reshape(*x.shape[:3], 8, -1)
        mean = jnp.mean(g, (1, 2, 4), keepdims=True)
        g = (g - mean) * lax.rsqrt(jnp.var(g, (1, 2, 4), keepdims=True) + 1e-5)
        return g.reshape(x.shape) * scale

    def res(q, x, t):
        h = conv(jax.nn.silu(group_norm(x, q["g"])), q["a"]) + (t @ q["t"])[:, None, None]
        return conv(x, q["s"]) + conv(jax.nn.silu(group_norm(h, q["h"])), q["b"])

    def net(p, x, time):
        angle = time[:, None] * jnp.exp(-jnp.arange(32) / 4.0)
        t = jax.nn.silu(jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1) @ p["time"][0]) @ p["time"][1]
        a = res(p["down"], conv(x, p["first"]), t)
        b = res(p["low"], lax.reduce_window(a, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4, t)
        flat = b.reshape(b.shape[0], -1, 64)
        q, k, v = (flat @ p["mid"][n] for n in "qkv")
        flat = flat + jax.nn.softmax(jnp.einsum("btd,bsd->bts", q, k) / 8) @ v @ p["mid"]["o"]
        b = jnp.repeat(jnp.repeat(flat.reshape(b.shape), 2, 1), 2, 2)
        return conv(res(p["up"], jnp.concatenate([a, b], -1), t), p["last"])

    def f(p, m, v, slow, x, seed):
        def loss(p):
            k1, k2 = jax.random.split(jax.random.key(seed))
            time, noise = jax.random.uniform(k1, (x.shape[0],)), jax.random.normal(k2, x.shape)
            mixed = jnp.cos(time)[:, None, None, None] * x + jnp.sin(time)[:, None, None, None] * noise
            return jnp.mean((net(p, mixed, time) - noise) ** 2)
        p, m, v = adam(p, m, v, jax.grad(loss)(p))
        return p, m, v, jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b, slow, p)
    return f, [p, p, p, p, array(mesh, (32, 16, 16, 3), P(("data", "model"))), array(mesh, (), P(), jnp.uint32)], None


def preferred(mesh):
    """Pairs of answers, a policy and a frozen copy; tensors over model."""
    _, p, _ = language_model(mesh, TENSOR, 2, ("model", None))

    def likely(p, ids, mask):
        x = p["table"][ids[:, :-1]]
        for q in p["blocks"]:
            x = cut(mesh, block(q, x), "data", None, None)
        scores = jax.nn.log_softmax(norm(x, p["end"]) @ p["table"].T)
        return jnp.sum(jnp.take_along_axis(scores, ids[:, 1:, None], -1)[..., 0] * mask[:, 1:], -1)

    def f(p, frozen, m, v, good, bad, mask):
        def loss(p):
            both, masks = jnp.concatenate([good, bad]), jnp.concatenate([mask, mask])
            gain = likely(p, both, masks) - lax.stop_gradient(likely(frozen, both, masks))
            better, worse = jnp.split(gain, 2)
            return -jnp.mean(jax.nn.log_sigmoid(0.1 * (better - worse))), jnp.mean(better > worse)
        (value, share), g = jax.value_and_grad(loss, has_aux=True)(p)
        return *adam(p, m, v, g), value, share
    ids = array(mesh, (8, 129), P("data", None), I32)
    return f, [p, p, p, p, ids, ids, array(mesh, (8, 129), P("data", None))], None


def ring_attention(mesh):
    """Time over model; keys and values go around, in a shard_map, with gradients."""
    def body(q, k, v):
        def tick(carry, _):
            k, v, top, whole, out = carry
            s = jnp.einsum("btnh,bsnh->bnts", q, k)
            new = jnp.maximum(top, jnp.max(s, -1))
            e, old = jnp.exp(s - new[..., None]), jnp.exp(top - new)
            out = out * old[..., None] + jnp.einsum("bnts,bsnh->bnth", e, v)
            turn = [(i, (i + 1) % 4) for i in range(4)]
            return (lax.ppermute(k, "model", turn), lax.ppermute(v, "model", turn), new, whole * old + jnp.sum(e, -1), out), None
        b, t, n, h = q.shape
        vary = lambda a: lax.pcast(a, ("data", "model"), to="varying")
        start = k, v, vary(jnp.full((b, n, t), -1e9)), vary(jnp.zeros((b, n, t))), vary(jnp.zeros((b, n, t, h)))
        *_, whole, out = lax.scan(tick, start, None, length=4)[0]
        return jnp.swapaxes(out / whole[..., None], 1, 2)
    spec = P("data", "model")
    ring = jax.shard_map(body, mesh=mesh, in_specs=(spec, spec, spec), out_specs=spec)
    p = [like(mesh, SHAPES, {n: ("data",) for n in ("up", "down")}) for _ in range(2)]

    def loss(p, x):
        for q in p:
            h = norm(x, q["n1"])
            x = x + jnp.einsum("btnh,nhd->btd", ring(*(jnp.einsum("btd,dnh->btnh", h, q[n]) for n in "qkv")), q["o"])
            x = x + jax.nn.gelu(norm(x, q["n2"]) @ q["up"]) @ q["down"]
        return jnp.mean(x ** 2)
    return (lambda p, x: sgd(p, jax.grad(loss)(p, x))), [p, array(mesh, (8, 512, 256), spec)], None


def paged(mesh):
    """A token of each sequence; grouped heads, keys and values in pages that a table names."""
    shapes = {"q": (256, 8, 32), "kv": (2, 256, 4, 32), "o": (8, 32, 256), "gate": (256, 512), "up": (256, 512), "down": (512, 256), "n1": (256,), "n2": (256,)}
    specs = {"q": (None, "model"), "kv": (None, None, "model"), "o": ("model",), "gate": (None, "model"), "up": (None, "model"), "down": ("model",)}
    p = {n: array(mesh, (3, *s), P(None, *specs.get(n, ())), BF16) for n, s in shapes.items()}
    pages = array(mesh, (3, 2, 128, 16, 4, 32), P(None, None, None, None, "model"), BF16)

    def turned(x, at):
        angle = at[:, None] * jnp.exp(-jnp.arange(16) / 4.0)
        a, b = jnp.split(x.astype(F32), 2, -1)
        sin, cos = jnp.sin(angle)[:, None], jnp.cos(angle)[:, None]
        return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1).astype(BF16)

    def f(p, table, pages, where, at, ids, seed):
        def layer(x, now):
            q, cache = now
            h = scaled(x, q["n1"])
            query, (k, v) = turned(jnp.einsum("bd,dnh->bnh", h, q["q"]), at), jnp.einsum("bd,cdnh->cbnh", h, q["kv"])
            page = jnp.take_along_axis(where, at[:, None] // 16, 1)[:, 0]
            cache = cache.at[0, page, at % 16].set(turned(k, at)).at[1, page, at % 16].set(v)
            keys, values = (c[where].reshape(16, -1, 4, 32) for c in cache)
            s = jnp.einsum("bngh,bsnh->bngs", query.reshape(16, 4, 2, 32), keys).astype(F32)
            s = jax.nn.softmax(jnp.where(jnp.arange(keys.shape[1]) <= at[:, None, None, None], s, -1e9)).astype(BF16)
            y = jnp.einsum("bngs,bsnh->bngh", s, values).reshape(16, 8, 32)
            x = x + jnp.einsum("bnh,nhd->bd", y, q["o"])
            h = scaled(x, q["n2"])
            return x + (jax.nn.silu(h @ q["gate"]) * (h @ q["up"])) @ q["down"], cache
        x, pages = lax.scan(layer, table[ids], (p, pages))
        scores = (x @ table.T).astype(F32)
        top, which = lax.top_k(scores, 40)
        chosen = jax.random.categorical(jax.random.key(seed), top / 0.8)
        return jnp.take_along_axis(which, chosen[:, None], 1)[:, 0], pages, at + 1
    rows = P("data")
    return f, [p, array(mesh, (2048, 256), P("model", None), BF16), pages, array(mesh, (16, 8), rows, I32), array(mesh, (16,), rows, I32),
               array(mesh, (16,), rows, I32), array(mesh, (), P(), jnp.uint32)], None


def sparse_layers(mesh):
    """A transformer whose feed-forward nets are experts, the best two with a capacity, in a scan with remat."""
    shapes = {n: SHAPES[n] for n in ("q", "k", "v", "o", "n1", "n2")} | {"router": (256, 8), "up": (8, 256, 512), "down": (8, 512, 256)}
    specs = {n: TENSOR[n] for n in ("q", "k", "v", "o")} | {"up": ("model",), "down": ("model",)}
    p = {"table": array(mesh, (2048, 256), P("model", None)), "layers": {n: array(mesh, (4, *s), P(None, *specs.get(n, ()))) for n, s in shapes.items()}}

    def feed(q, x):
        gate = jax.nn.softmax(x @ q["router"])
        first = jax.nn.one_hot(jnp.argmax(gate, -1), 8)
        second = jax.nn.one_hot(jnp.argmax(gate * (1 - first), -1), 8)
        at = jnp.cumsum(first, 1) - first
        later = jnp.cumsum(second, 1) - second + jnp.sum(first, 1, keepdims=True)
        join = 0
        for hot, place in ((first, at), (second, later)):
            kept = hot * (place < 48)
            slot = jax.nn.one_hot(jnp.sum(place * kept, -1).astype(I32), 48)
            join = join + (jnp.sum(gate * kept, -1, keepdims=True) * kept)[..., None] * slot[:, :, None]
        sent = cut(mesh, jnp.einsum("btec,btd->ebcd", (join > 0).astype(x.dtype), x), "model", "data", None, None)
        back = jnp.einsum("ebcf,efd->ebcd", jax.nn.gelu(jnp.einsum("ebcd,edf->ebcf", sent, q["up"])), q["down"])
        even = jnp.mean(jnp.mean(first, 1) * jnp.mean(gate, 1))
        return jnp.einsum("btec,ebcd->btd", join, cut(mesh, back, "model", "data", None, None)), even

    def loss(p, ids):
        @jax.checkpoint
        def layer(x, q):
            x = x + attend(q, norm(x, q["n1"]))
            y, even = feed(q, norm(x, q["n2"]))
            return cut(mesh, x + y, "data", None, None), even
        x, even = lax.scan(layer, p["table"][ids[:, :-1]], p["layers"])
        return cross_entropy(x @ p["table"].T, ids[:, 1:]) + 0.01 * jnp.sum(even)
    return (lambda p, m, v, ids: adam(p, m, v, jax.grad(loss)(p, ids))), [p, p, p, array(mesh, (16, 129), P("data", None), I32)], None


def orthogonal(mesh):
    """Weights over both axes; momentum made orthogonal by five rounds of products."""
    loss, p, ids = language_model(mesh, ROWS, 2, (None, "data"), rows=("data", "model"), tied=False)

    def rounded(g):
        x = g.reshape(g.shape[0], -1)
        x = x / (jnp.linalg.norm(x) + 1e-7)
        for _ in range(3):
            y = x @ x.T
            x = 3.4445 * x + (-4.775 * y + 2.0315 * y @ y) @ x
        return x.reshape(g.shape)

    def f(p, m, ids):
        g = jax.grad(loss)(p, ids)
        m = jax.tree.map(lambda a, b: 0.95 * a + b, m, g)
        return jax.tree.map(lambda a, b: a - 0.02 * (rounded(b) if a.ndim > 1 else b), p, m), m
    return f, [p, p, ids], None


def sliced_state(mesh):
    """Weights in bf16 whole, four parts of a batch added, the state of Adam and the f32 weights cut over all devices."""
    loss, p, _ = language_model(mesh, {}, 2, (), rows=("data", "model"), scan=True, remat=True, dtype=BF16)
    every = ("data", "model")
    cut_of = lambda a: P(*(every if k == next((j for j, s in enumerate(a.shape) if s % 8 == 0), None) else None for k in range(len(a.shape))))
    state = jax.tree.map(lambda a: array(mesh, a.shape, cut_of(a)), p)

    def f(p, master, m, v, ids):
        def add(total, part):
            return jax.tree.map(lambda a, b: a + b.astype(F32), total, jax.grad(loss)(p, part)), None
        g = lax.scan(add, jax.tree.map(lambda a: jnp.zeros(a.shape, F32), p), ids)[0]
        g = jax.tree.map(lambda a, b: lax.with_sharding_constraint(a / 4, b.sharding), g, state)
        master, m, v = adam(master, m, v, g)
        return jax.tree.map(lambda a: a.astype(BF16), master), master, m, v
    same = jax.tree.map(lambda a: a.sharding, (p, state, state, state))
    return f, [p, state, state, state, array(mesh, (4, 16, 129), P(None, every, None), I32)], same


def adapters(mesh):
    """Frozen layers in a scan, small trained additions at the queries and values, fully sharded weights."""
    frozen = {n: array(mesh, (4, *s), P(None, *ROWS.get(n, ())), BF16) for n, s in SHAPES.items()}
    table = array(mesh, (2048, 256), P("model", "data"), BF16)
    p = {n: (array(mesh, (4, 256, 8), P()), array(mesh, (4, 8, 256), P())) for n in "qv"}

    def loss(p, frozen, table, ids):
        @jax.checkpoint
        def layer(x, now):
            q, more = now
            q = dict(q)
            for n in "qv":
                a, b = more[n]
                q[n] = q[n] + (2.0 * a @ b).reshape(256, 8, 32).astype(BF16)
            return cut(mesh, block(q, x), ("data", "model"), None, None), None
        x = lax.scan(layer, table[ids[:, :-1]], (frozen, p))[0]
        return cross_entropy(x @ table.T, ids[:, 1:])

    def f(p, m, v, frozen, table, ids):
        g, _ = clipped(jax.grad(loss)(p, frozen, table, ids))
        return adam(p, m, v, g)
    return f, [p, p, p, frozen, table, array(mesh, (16, 129), P(("data", "model"), None), I32)], None


PROGRAMS = {f.__name__: f for f in (translation, selective, graph_attention, denoiser, preferred, ring_attention, paged, sparse_layers, orthogonal,
                                    sliced_state, adapters)}
