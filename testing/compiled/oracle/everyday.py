"""What people run on a CPU: scans, searches, solvers, simulations, games, sparse and sorted data.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from arrays import F32, I32, array


def advantages(mesh):
    """Rewards of games, discounted backwards in a scan, and the clipped loss of a policy, three passes over shuffled parts."""

    def f(w, states, rewards, key):
        def back(sum_, r):
            sum_ = r + 0.99 * sum_
            return sum_, sum_

        gains = lax.scan(back, jnp.zeros(rewards.shape[1]), rewards, reverse=True)[1].reshape(-1)
        flat = states.reshape(-1, states.shape[-1])

        def epoch(w, key):
            order = jax.random.permutation(key, len(flat))

            def part(w, at):
                g = jax.grad(lambda w: jnp.mean(jnp.clip(jnp.tanh(flat[at] @ w[0]) @ w[1], 0.8, 1.2)[:, 0] * gains[at]))(w)
                return jax.tree.map(lambda w, g: w - 0.01 * g, w, g), None

            return lax.scan(part, w, order.reshape(4, -1))[0], None

        return lax.scan(epoch, w, jax.random.split(key, 3))[0]

    w = (array(mesh, (24, 64), None, "model"), array(mesh, (64, 1), "model"))
    return f, (w, array(mesh, (50, 32, 24), None, "data"), array(mesh, (50, 32), None, "data"), array(mesh, (2,), dtype=jnp.uint32)), (0,)


def beams(mesh):
    """A search that keeps the eight best of all continuations, with a cache that is put in their order."""

    def f(table, first):
        def step(state, _):
            ids, scores, cache = state
            logits = jax.nn.log_softmax(jnp.einsum("bkd,vd->bkv", cache, table))
            best, at = lax.top_k((scores[..., None] + logits).reshape(len(ids), -1), 8)
            parent, word = at // len(table), at % len(table)
            cache = jnp.take_along_axis(cache, parent[..., None], 1) * 0.9 + table[word]
            return (word, best, cache), (word, parent)

        start = (first, jnp.zeros(first.shape, F32), table[first])
        return lax.scan(step, start, None, length=12)

    return f, (array(mesh, (500, 48)), array(mesh, (16, 8), "data", dtype=I32)), ()


def clusters(mesh):
    """K-means until the centres stay."""

    def f(x, centres):
        def step(state):
            centres, _, k = state
            near = jnp.argmin(jnp.sum((x[:, None] - centres) ** 2, -1), 1)
            sums = jax.ops.segment_sum(x, near, len(centres))
            new = sums / jnp.maximum(jnp.bincount(near, length=len(centres)), 1)[:, None]
            return new, jnp.max(jnp.abs(new - centres)), k + 1

        return lax.while_loop(lambda s: (s[1] > 1e-4) & (s[2] < 100), step, (centres, jnp.inf, 0))

    return f, (array(mesh, (2048, 12), "data"), array(mesh, (20, 12))), (1,)


def kalman(mesh):
    """A filter forwards and a smoother backwards, of small matrices."""

    def f(a, q, x):
        def forward(state, z):
            m, p = state
            m, p = a @ m, a @ p @ a.T + q
            gain = jnp.linalg.solve(p + jnp.eye(6), p).T
            m, p = m + gain @ (z - m), p - gain @ p
            return (m, p), (m, p)

        def back(state, mp):
            m, p = mp
            g = p @ a.T @ jnp.linalg.inv(a @ p @ a.T + q)
            m = m + g @ (state - a @ m)
            return m, m

        one = lambda z: lax.scan(back, jnp.zeros(6), lax.scan(forward, (jnp.zeros(6), jnp.eye(6)), z)[1], reverse=True)[1]
        return jax.vmap(one)(x)

    return f, (array(mesh, (6, 6)), array(mesh, (6, 6)), array(mesh, (16, 40, 6), "data")), ()


def particles(mesh):
    """Weights, resampling by a search in sums, noise; a history of all."""

    def f(key, seen):
        def step(state, z):
            x, key = state
            key, a, b = jax.random.split(key, 3)
            x = x * 0.95 + jax.random.normal(a, x.shape)
            sums = jnp.cumsum(jax.nn.softmax(-((x - z) ** 2)))
            x = x[jnp.searchsorted(sums, (jnp.arange(len(x)) + jax.random.uniform(b)) / len(x))]
            return (x, key), (jnp.mean(x), jnp.sort(x)[::100])

        return lax.scan(step, (jnp.zeros(3000), key), seen)

    return f, (array(mesh, (2,), dtype=jnp.uint32), array(mesh, (30,))), ()


def planets(mesh):
    """Bodies that attract one another, by leapfrog; the distances of all pairs."""

    def f(x, v, mass):
        def pull(x):
            d = x[None] - x[:, None]
            return jnp.sum(mass[None, :, None] * d / (jnp.sum(d * d, -1, keepdims=True) + 0.01) ** 1.5, 1)

        def step(state, _):
            x, v = state
            v = v + 0.005 * pull(x)
            x = x + 0.01 * v
            return (x, v + 0.005 * pull(x)), jnp.sum(mass * jnp.sum(v * v, -1))

        return lax.scan(step, (x, v), None, length=20)

    return f, (array(mesh, (200, 3), "data"), array(mesh, (200, 3), "data"), array(mesh, (200,))), (0, 1)


def sandpile(mesh):
    """Cells of integers that topple until none does."""

    def f(grid):
        def topple(g):
            over = (g >= 4).astype(I32)
            around = jnp.pad(over, 1)
            return g - 4 * over + around[2:, 1:-1] + around[:-2, 1:-1] + around[1:-1, 2:] + around[1:-1, :-2]

        return lax.while_loop(lambda g: jnp.any(g >= 4), topple, grid)

    return f, (array(mesh, (128, 192), "data", "model", dtype=I32),), (0,)


def spectrum(mesh):
    """Eigenvalues, singular values, factors and least squares."""

    def f(a, b):
        s = a @ a.T
        u, d, v = jnp.linalg.svd(a, full_matrices=False)
        q, r = jnp.linalg.qr(a.T)
        return jnp.linalg.eigh(s), (u * d) @ v - a, jnp.linalg.cholesky(s + jnp.eye(len(s))), q @ r, jnp.linalg.lstsq(a.T, b)[0]

    return f, (array(mesh, (48, 96)), array(mesh, (96, 5))), ()


def sparse(mesh):
    """A matrix of few numbers times vectors, by sorted rows; PageRank to its fixed point."""

    def f(rows, columns, weights):
        count = 4000
        order = jnp.lexsort((columns, rows))
        rows, columns, weights = rows[order], columns[order], weights[order]
        out = jnp.maximum(jax.ops.segment_sum(weights, columns, count), 1e-9)

        def step(state):
            x, _, k = state
            new = 0.15 / count + 0.85 * jax.ops.segment_sum(weights * (x / out)[columns], rows, count, indices_are_sorted=True)
            return new, jnp.sum(jnp.abs(new - x)), k + 1

        x, _, k = lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 60), step, (jnp.full(count, 1 / count), jnp.inf, 0))
        return lax.top_k(x, 50), k

    return f, (array(mesh, (20000,), "data", dtype=I32), array(mesh, (20000,), "data", dtype=I32), array(mesh, (20000,), "data")), ()


def tables(mesh):
    """Groups, joins and ranks of columns, as of a data frame."""

    def f(keys, values, other):
        order = jnp.argsort(keys, stable=True)
        k, v = keys[order], values[order]
        first = jnp.concatenate([jnp.ones(1, bool), k[1:] != k[:-1]])
        group = jnp.cumsum(first) - 1
        means = jax.ops.segment_sum(v, group, 300) / jnp.maximum(jax.ops.segment_sum(jnp.ones_like(v), group, 300), 1)
        at = jnp.searchsorted(k, other)
        joined = jnp.where(k[jnp.clip(at, 0, len(k) - 1)] == other, v[jnp.clip(at, 0, len(k) - 1)], jnp.nan)
        return means, joined, jnp.argsort(jnp.argsort(values)), jnp.quantile(values, jnp.array([0.1, 0.5, 0.9])), jnp.unique(keys, size=64)

    return f, (array(mesh, (6000,), "data", dtype=I32), array(mesh, (6000,), "data"), array(mesh, (900,), dtype=I32)), ()


def scanned_sums(mesh):
    """Recurrences by an associative scan, forwards, and their gradient."""

    def f(a, b, h):
        def both(x, y):
            return x[0] * y[0], y[0] * x[1] + y[1]

        loss = lambda a, b: jnp.sum((lax.associative_scan(both, (jax.nn.sigmoid(a), b), axis=1)[1] - h) ** 2)
        return jax.value_and_grad(loss, (0, 1))(a, b)

    return f, tuple(array(mesh, (16, 200, 24), "data", None, "model") for _ in range(3)), (0,)


def decoder(mesh):
    """Tokens one by one: a cache that is written in place, sampled with a cut of the least likely."""

    def f(w, cache, ids, key):
        def step(k, state):
            cache, ids, key = state
            x = w["table"][ids]
            for layer in range(2):
                q, new = x @ w["q"][layer], x @ w["kv"][layer]
                cache = lax.dynamic_update_slice(cache, new[None, :, None], (layer, 0, k, 0))
                scores = jnp.where(jnp.arange(cache.shape[2]) <= k, jnp.einsum("bd,btd->bt", q, cache[layer]), -1e9)
                x = x + jnp.einsum("bt,btd->bd", jax.nn.softmax(scores), cache[layer])
            logits = x @ w["table"].T
            least = lax.top_k(logits, 20)[0][:, -1:]
            key, now = jax.random.split(key)
            return cache, jax.random.categorical(now, jnp.where(logits < least, -1e9, logits)).astype(I32), key

        return lax.fori_loop(0, 40, step, (cache, ids, key))

    w = {"table": array(mesh, (800, 64)), "q": array(mesh, (2, 64, 64)), "kv": array(mesh, (2, 64, 64))}
    return f, (w, array(mesh, (2, 16, 64, 64), None, "data"), array(mesh, (16,), "data", dtype=I32), array(mesh, (2,), dtype=jnp.uint32)), (1,)


def simplex(mesh):
    """Distances of strings by a dynamic program over anti-diagonals, and the cheapest plan of transport (Sinkhorn)."""

    def f(a, b, cost):
        def row(before, x):
            def cell(left, at):
                up, diagonal, y = at
                new = jnp.minimum(jnp.minimum(up, left) + 1, diagonal + (x != y))
                return new, new

            start = before[0] + 1
            rest = lax.scan(cell, start, (before[1:], before[:-1], b))[1]
            return jnp.concatenate([start[None], rest]), None

        distance = lax.scan(row, jnp.arange(len(b) + 1), a)[0][-1]
        turn = lambda uv, _: ((-jax.nn.logsumexp(uv[1] - cost, 1), -jax.nn.logsumexp(uv[0][:, None] - cost, 0)), None)
        (u, v), _ = lax.scan(turn, (jnp.zeros(len(cost)), jnp.zeros(cost.shape[1])), None, length=50)
        return distance, jnp.exp(u[:, None] + v - cost)

    return f, (array(mesh, (70,), dtype=I32), array(mesh, (90,), dtype=I32), array(mesh, (120, 80), "data")), ()


def hand_over(mesh):
    """Stages that hand micro-batches on to their neighbours, by hand."""

    def f(w, x):
        def stage(w, x):
            count = 4
            outs, now = jnp.zeros_like(x), jnp.zeros_like(x[0])
            for k in range(2 * count - 1):
                now = jnp.where(lax.axis_index("model") == 0, x[min(k, count - 1)], now)
                now = jnp.tanh(now @ w[0])
                outs = outs.at[max(k - count + 1, 0)].set(now)
                now = lax.ppermute(now, "model", [(i, (i + 1) % 4) for i in range(4)])
            return lax.psum(outs, "model")

        return jax.shard_map(stage, mesh=mesh, in_specs=(P("model"), P(None, "data")), out_specs=P(None, "data"), check_vma=False)(w, x)

    return jax.grad(lambda w, x: jnp.sum(f(w, x) ** 2)), (array(mesh, (4, 96, 96), "model"), array(mesh, (4, 32, 96), None, "data")), ()


def implicit(mesh):
    """A fixed point of an equation, its gradient by another fixed point, and Newton's method with products of Hessians."""

    def f(w, x):
        z = lax.fori_loop(0, 25, lambda _, z: jnp.tanh(z @ w + x), jnp.zeros_like(x))
        loss = lambda w: jnp.sum(jnp.tanh(z @ w + x) ** 2)
        gradient = jax.grad(loss)(w)
        times = lambda v: jax.jvp(jax.grad(loss), (w,), (v,))[1] + 0.1 * v
        return w - jax.scipy.sparse.linalg.cg(times, gradient, maxiter=8)[0]

    return f, (array(mesh, (80, 80), None, "model"), array(mesh, (64, 80), "data")), (0,)


def many_games(mesh):
    """Boards of a game, played at random side by side until each one ends, by a loop under vmap."""

    def f(keys):
        def game(key):
            def move(state):
                board, key, turn, _ = state
                key, now = jax.random.split(key)
                at = jax.random.categorical(now, jnp.where(board == 0, 0.0, -1e9))
                board = board.at[at].set(1 - 2 * (turn % 2))
                square = board.reshape(3, 3)
                lines = jnp.concatenate([square.sum(0), square.sum(1), jnp.array([jnp.trace(square), jnp.trace(square[::-1])])])
                return board, key, turn + 1, jnp.any(jnp.abs(lines) == 3)

            return lax.while_loop(lambda s: (s[2] < 9) & ~s[3], move, (jnp.zeros(9, I32), key, 0, False))[0]

        return jax.vmap(game)(keys)

    return f, (array(mesh, (256, 2), "data", dtype=jnp.uint32),), ()


def nested(mesh):
    """Loops within branches within loops, and a switch that hands things on."""

    def f(x, n):
        def outer(k, x):
            halve = lambda x: lax.while_loop(lambda x: jnp.max(x) > 1, lambda x: x * 0.5, x)
            grow = lambda x: lax.fori_loop(0, k, lambda i, x: x + jnp.roll(x, i), x)
            x = lax.cond(jnp.sum(x) > 0, halve, grow, x)
            return lax.switch(k % 3, [lambda x: x, lambda x: jnp.sort(x, 0), lambda x: lax.scan(lambda s, r: (s + r, s), x[0], x)[1]], x)

        return lax.fori_loop(0, n, outer, x)

    return f, (array(mesh, (64, 200), None, "model"), array(mesh, (), dtype=I32)), (0,)


def histograms(mesh):
    """Counts of pictures, equalised, with medians of windows and a two-dimensional sum table."""

    def f(pictures):
        flat = pictures.reshape(len(pictures), -1).astype(I32)
        counts = jax.vmap(lambda p: jnp.zeros(256, I32).at[p].add(1))(flat)
        level = jnp.cumsum(counts, 1) * 255 // flat.shape[1]
        even = jnp.take_along_axis(level, flat, 1).reshape(pictures.shape)
        around = jnp.stack([jnp.roll(even, (a, b), (1, 2)) for a in (-1, 0, 1) for b in (-1, 0, 1)])
        return jnp.median(around, 0), jnp.cumsum(jnp.cumsum(even, 1), 2), counts

    return f, (array(mesh, (16, 64, 48), "data", dtype=jnp.uint8),), ()


def doubly(mesh):
    """A Jacobian, a Hessian and third derivatives of a small network."""

    def f(w, x):
        g = lambda x: jnp.sum(jnp.sin(x @ w) ** 3)
        return jax.vmap(jax.hessian(g))(x), jax.jacfwd(jax.jacrev(jax.grad(g)))(x[0])

    return f, (array(mesh, (12, 40)), array(mesh, (64, 12), "data")), ()
