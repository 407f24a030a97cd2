"""Types and numbers: integers of 4 and 8 bits, floats of 8 bits, complex and double numbers, Fourier transforms, bits, special functions, tables.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax

from arrays import BF16, F32, I8, I32, array, cut


def int8(mesh):
    """Products of bytes with a scale for each row and column, through three layers."""

    def f(ws, scales, x):
        for w, s in zip(ws, scales):
            most = jnp.max(jnp.abs(x), -1, keepdims=True) / 127
            y = lax.dot_general((x / most).astype(I8), w, (((1,), (0,)), ((), ())), preferred_element_type=I32)
            x = jax.nn.relu(y.astype(F32) * most * s)
        return x

    return f, ([array(mesh, (1024, 1024), None, "model", dtype=I8)] * 3, [array(mesh, (1024,), "model")] * 3, array(mesh, (256, 1024), "data")), ()


def int4(mesh):
    """Weights of 4 bits, unpacked for a product in bf16, and packed again."""

    def f(w, scale, x):
        wide = w.astype(BF16) * scale
        y = x @ wide.reshape(-1, wide.shape[-1])
        return y, jnp.clip(jnp.round(y[:64, :512]), -8, 7).astype(jnp.int4)

    return (
        f,
        (
            array(mesh, (16, 64, 2048), None, None, "model", dtype=jnp.int4),
            array(mesh, (16, 1, 2048), None, None, "model", dtype=BF16),
            array(mesh, (256, 1024), "data", dtype=BF16),
        ),
        (),
    )


def fp8(mesh):
    """Products of 8-bit floats, with scales, forward e4m3 and backward e5m2."""
    E4, E5 = jnp.float8_e4m3fn, jnp.float8_e5m2

    @jax.custom_vjp
    def product(x, w):
        return lax.dot(x.astype(E4), w.astype(E4), preferred_element_type=F32).astype(BF16)

    def back(kept, g):
        x, w = kept
        g8 = g.astype(E5)
        return lax.dot(g8, w.T.astype(E4), preferred_element_type=F32).astype(BF16), lax.dot(x.T.astype(E4), g8, preferred_element_type=F32).astype(BF16)

    product.defvjp(lambda x, w: (product(x, w), (x, w)), back)

    def loss(ws, x):
        for w in ws:
            x = jax.nn.gelu(product(x, w))
        return jnp.mean(x.astype(F32) ** 2)

    return jax.grad(loss), ([array(mesh, (1024, 1024), None, "model", dtype=BF16)] * 3, array(mesh, (512, 1024), "data", dtype=BF16)), ()


def waves(mesh):
    """A long convolution by Fourier transforms, and a transform of two dimensions."""

    def f(x, h, image):
        n = 2 * x.shape[-1]
        y = jnp.fft.irfft(jnp.fft.rfft(x, n) * jnp.fft.rfft(h, n), n)[..., : x.shape[-1]]
        return y, jnp.abs(jnp.fft.fft2(image)), jnp.fft.ifft(image).real

    return f, (array(mesh, (8, 64, 1024), "data", "model"), array(mesh, (64, 1024), "model"), array(mesh, (8, 128, 96), "data", dtype=jnp.complex64)), ()


def complex_numbers(mesh):
    """A circuit of gates on complex states; its gradient."""

    def f(gates, state):
        def energy(gates):
            s = state
            for k, g in enumerate(gates):
                s = jnp.moveaxis(jnp.tensordot(g, s.reshape((-1,) + (4,) * 6), ((1,), (1 + k % 6,))), 0, 1 + k % 6)
            return jnp.sum(jnp.abs(s.reshape(state.shape)) ** 2 * jnp.arange(state.shape[-1]))

        return jax.grad(lambda r: energy([lax.complex(a, b) for a, b in r]))([(jnp.real(g), jnp.imag(g)) for g in gates])

    return f, ([array(mesh, (4, 4), dtype=jnp.complex64)] * 8, array(mesh, (16, 4096), "data", dtype=jnp.complex64)), ()


def doubles(mesh):
    """A conjugate gradient in 64 bits."""

    def f(a, b):
        def step(state, _):
            x, r, p = state
            ap = a @ p
            alpha = jnp.vdot(r, r) / jnp.vdot(p, ap)
            new = r - alpha * ap
            return (x + alpha * p, new, new + jnp.vdot(new, new) / jnp.vdot(r, r) * p), jnp.linalg.norm(new)

        return lax.scan(step, (jnp.zeros_like(b), b, b), None, length=20)

    return f, (array(mesh, (1024, 1024), "data", dtype=jnp.float64), array(mesh, (1024,), dtype=jnp.float64)), ()


def bits(mesh):
    """Counts of bits, casts between widths, packed masks, hashes by shifts."""

    def f(x, mask):
        words = lax.bitcast_convert_type(mask.astype(jnp.uint8).reshape(-1, 4), jnp.uint32)
        h = x ^ (x >> 16)
        for k in (0x85EBCA6B, 0xC2B2AE35):
            h = (h * jnp.uint32(k)) ^ (h >> 13)
        packed = jnp.sum(mask.reshape(-1, 32).astype(jnp.uint32) << jnp.arange(32, dtype=jnp.uint32), 1, dtype=jnp.uint32)
        return (
            lax.population_count(h),
            lax.clz(h),
            words,
            packed,
            lax.bitcast_convert_type(h, BF16),
            lax.bitcast_convert_type(x, F32),
            h.astype(jnp.int16),
            (h & 3).astype(jnp.uint4),
        )

    return f, (array(mesh, (64, 4096), "data", dtype=jnp.uint32), array(mesh, (64, 4096), "data", dtype=jnp.bool_)), ()


def special(mesh):
    """Special functions, which become long expressions or loops."""

    def f(x):
        y = jnp.abs(x) + 0.5
        return (
            lax.lgamma(y),
            lax.digamma(y),
            lax.erf_inv(x / 10),
            lax.igamma(y, y + 1),
            jax.scipy.special.bessel_jn(x[:4, :32], v=3),
            lax.bessel_i1e(x),
            jax.scipy.special.betainc(y, 2.0, x / 10 % 1),
            jnp.cbrt(x),
            lax.nextafter(x, y),
            lax.rem(x, y),
            lax.atan2(x, y),
        )

    return f, (array(mesh, (64, 512), "data", "model"),), ()


def embedding(mesh):
    """Bags of ids from tables that are cut by rows; Adagrad adds into rows."""

    def step(table, squares, ids, wanted):
        rows = table[ids]
        pooled = jnp.sum(rows.astype(F32), 2)
        g = jax.grad(lambda p: jnp.mean((jnp.tanh(p).sum((1, 2)) - wanted) ** 2))(pooled)
        g = jnp.broadcast_to(g[:, :, None], rows.shape).reshape(-1, rows.shape[-1])
        flat = ids.reshape(-1)
        squares = squares.at[flat].add(jnp.mean(g * g, -1))
        return table.at[flat].add((-0.1 * g * lax.rsqrt(squares[flat] + 1e-6)[:, None]).astype(table.dtype)), squares

    return (
        step,
        (
            array(mesh, (131072, 128), ("data", "model"), dtype=BF16),
            array(mesh, (131072,), ("data", "model")),
            array(mesh, (512, 6, 5), "data", dtype=I32),
            array(mesh, (512,), "data"),
        ),
        (0, 1),
    )


def stencil(mesh):
    """A heat equation on a grid cut both ways: neighbours by roll and by pad."""

    def f(grid):
        def step(g, _):
            around = sum(jnp.roll(g, s, a) for a in (0, 1) for s in (1, -1))
            edge = jnp.pad(g, ((2, 1), (0, 3)), mode="edge")[1:-2, 3:]
            return cut(mesh, g + 0.1 * (around - 4 * g) + 0.01 * edge[: g.shape[0], : g.shape[1]], "data", "model"), None

        return lax.scan(step, grid, None, length=25)[0]

    return f, (array(mesh, (2048, 1536), "data", "model"),), (0,)


def images(mesh):
    """Resized, rotated and cut images of bytes."""

    def f(images, at):
        small = jax.image.resize(images.astype(F32), (images.shape[0], 77, 51, 3), "cubic")
        turned = jax.vmap(lambda i, p: jax.scipy.ndimage.map_coordinates(i[..., 0], p, order=1))(small, at)
        cuts = jax.vmap(lambda i, p: lax.dynamic_slice(i, (p[0, 0].astype(I32), p[1, 0].astype(I32), 0), (32, 32, 3)))(images, at)
        return turned, cuts, jnp.flip(small, 2).astype(jnp.uint8), jnp.histogram(turned, 32)[0]

    return f, (array(mesh, (32, 128, 96, 3), "data", dtype=jnp.uint8), array(mesh, (32, 2, 500), "data")), ()
