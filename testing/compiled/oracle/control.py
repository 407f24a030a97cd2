"""Control and order: loops with unknown trips, branches, sorts, random numbers, callbacks, scans, solvers.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from arrays import BF16, F32, I32, array


def loops(mesh):
    """A loop that ends by its values, with a loop of fixed trips inside, and one of five trips around both."""

    def newton(x, a):
        def body(state):
            x, k, _ = state
            new = lax.fori_loop(0, 3, lambda i, y: 0.5 * (y + a @ y / (1 + jnp.abs(y))), x)
            return new, k + 1, jnp.max(jnp.abs(new - x))

        return lax.while_loop(lambda s: (s[2] > 1e-6) & (s[1] < 50), body, (x, 0, jnp.inf))[0]

    def f(x, a):
        return lax.scan(lambda x, k: (newton(x, a) * k, jnp.sum(x)), x, jnp.arange(5, dtype=F32))

    return f, (array(mesh, (512, 256), None, "data"), array(mesh, (512, 512), "model")), (0,)


def branches(mesh):
    """A switch of three branches inside a scan, and a conditional that skips a product."""

    def f(x, ws, which):
        def body(x, item):
            w, k = item
            x = lax.switch(k, [lambda y: jnp.tanh(y @ w), lambda y: y @ w.T + 1, lambda y: y[::-1]], x)
            return lax.cond(jnp.sum(x) > 0, lambda y: jax.nn.softmax(y @ w), lambda y: y, x), jnp.max(x)

        return lax.scan(body, x, (ws, which))

    return f, (array(mesh, (256, 512), "data"), array(mesh, (6, 512, 512), None, None, "model"), array(mesh, (6,), dtype=I32)), ()


def orders(mesh):
    """Sorts of several operands, ranks, the largest elements, medians, searches, histograms, unique values."""

    def f(x, keys, ids):
        by_key = lax.sort((keys, ids, x), dimension=1, num_keys=2)
        top, where = lax.top_k(x, 37)
        return (
            by_key,
            top,
            where,
            jnp.argsort(x, descending=True),
            jnp.median(x, 0),
            jnp.searchsorted(jnp.sort(x[0]), x[1]),
            jnp.bincount(ids.reshape(-1), length=777),
            jnp.unique(ids[0], size=64),
        )

    return f, (array(mesh, (64, 4096), "data"), array(mesh, (64, 4096), "data", "model", dtype=I32), array(mesh, (64, 4096), None, "model", dtype=I32)), ()


def reductions(mesh):
    """Variadic reductions, running sums, products and maxima, reduced precision, norms."""

    def f(x, y):
        mean_and_square = lax.reduce((x, x * x), (0.0, 0.0), lambda a, b: (a[0] + b[0], a[1] + b[1]), (1,))
        return (
            jnp.argmax(x, 1),
            jnp.argmin(y, 0),
            mean_and_square,
            jnp.cumsum(x, 1),
            lax.cummax(y, 0),
            lax.cumlogsumexp(x, 1, reverse=True),
            jnp.cumprod(x[:, :31], 1),
            lax.reduce_precision(x, 5, 10),
            jax.nn.logsumexp(y, 0),
            jnp.linalg.norm(x),
            jnp.any(x > 3, 1),
            jnp.prod(y[:, :3], 1),
        )

    return f, (array(mesh, (512, 1000), "data"), array(mesh, (1536, 256), "model", "data")), ()


def random(mesh, kind="threefry2x32"):
    """Normal, categorical, gamma and permuted numbers from one key, and dropout."""

    def f(seed, x):
        keys = jax.random.split(jax.random.wrap_key_data(seed, impl=kind), 6)
        kept = jnp.where(jax.random.bernoulli(keys[0], 0.9, x.shape), x / 0.9, 0)
        return (
            kept + jax.random.normal(keys[1], x.shape),
            jax.random.categorical(keys[2], x),
            jax.random.truncated_normal(keys[3], -2, 2, (333,)),
            jax.random.gamma(keys[4], 2.5, (64,)),
            jax.random.permutation(keys[5], 1000),
            jax.random.randint(keys[0], (128, 3), 0, 77),
        )

    return f, (array(mesh, (4 if kind == "rbg" else 2,), dtype=jnp.uint32), array(mesh, (128, 2048), "data", "model")), ()


def state_space(mesh):
    """A linear recurrence by an associative scan, with a gradient of our own for its gate."""

    @jax.custom_vjp
    def gate(x):
        return jnp.exp(-jax.nn.softplus(x))

    gate.defvjp(lambda x: (gate(x), (x, gate(x))), lambda kept, g: (-g * kept[1] * jax.nn.sigmoid(kept[0]),))

    def loss(w, x):
        decay, value = gate(x @ w[0]), x @ w[1]
        _, h = lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (decay, value), axis=1)
        return jnp.mean((h * jax.nn.silu(x @ w[2])) ** 2)

    w = array(mesh, (256, 512), None, "model")
    return jax.value_and_grad(loss), ([w] * 3, array(mesh, (8, 1024, 256), "data")), ()


def solvers(mesh):
    """Cholesky, triangular solves, QR, eigenvalues, singular values, LU with pivots, a determinant."""

    def f(a, b):
        spd = a @ a.mT + 4 * jnp.eye(a.shape[-1])
        factor = jnp.linalg.cholesky(spd)
        q, r = jnp.linalg.qr(a)
        return (
            lax.linalg.triangular_solve(factor, b, left_side=True, lower=True),
            jnp.linalg.eigh(spd),
            jnp.linalg.svd(a, compute_uv=False),
            jnp.linalg.solve(spd, b),
            q,
            r,
            jnp.linalg.slogdet(a),
        )

    return f, (array(mesh, (8, 48, 48), "data"), array(mesh, (8, 48, 5), "data")), ()


def triangular(mesh):
    """One large Cholesky factorisation and solves from both sides."""

    def f(a, b):
        factor = lax.linalg.cholesky(a)
        return lax.linalg.triangular_solve(factor, b, left_side=True, lower=True), lax.linalg.triangular_solve(factor, b.T, lower=True, transpose_a=True)

    return f, (array(mesh, (1024, 1024)), array(mesh, (1024, 384), None, "data")), ()


def callbacks(mesh):
    """A function of the host inside a step, and a print."""

    def f(x):
        y = jnp.tanh(x)
        jax.debug.print("mean {m}", m=jnp.mean(y))
        z = jax.pure_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct(y.shape, y.dtype), y, vmap_method="sequential")
        return z @ z.T

    return f, (array(mesh, (64, 64), "data"),), ()


def constants(mesh):
    """Large constants: a table of numbers, a mask, a permutation, positions."""
    rng = np.random.default_rng(0)
    table, mask, order = rng.normal(size=(128, 96)).astype(np.float32), rng.random((96, 300)) > 0.5, rng.permutation(300)

    def f(x):
        return (x @ table) @ jnp.where(mask, 1.0, -1.0)[:, order], x[:, ::3] * np.float32([1.5, 2.5, 3.5, 4.5] * 11)[:43]

    return f, (array(mesh, (64, 128), "data"),), ()


def barriers(mesh):
    """Donated arguments of several types that come back in another order, and barriers between products."""

    def f(a, b, c):
        x = lax.optimization_barrier(a @ b)
        y, z = lax.optimization_barrier((x @ b, jnp.sin(x)))
        return b * 2, (y + z).astype(BF16), c.at[3:7].set(1), a - 1

    return f, (array(mesh, (1024, 512), "data"), array(mesh, (512, 512), None, "model"), array(mesh, (100, 7), dtype=I32)), (0, 1, 2)


def hessian(mesh):
    """Second derivatives: Hessian times vector, a Jacobian by columns."""

    def loss(w, x):
        return jnp.mean(jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]) ** 2)

    def f(w, v, x):
        return jax.jvp(jax.grad(lambda w: loss(w, x)), (w,), (v,))[1], jax.jacfwd(lambda r: jnp.tanh(r @ w[0]) @ w[1])(x[0])

    w = [array(mesh, (128, 512), None, "model"), array(mesh, (512, 64), "model")]
    return f, (w, w, array(mesh, (256, 128), "data")), ()
