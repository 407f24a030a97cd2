"""Linear algebra, transforms, simulation."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import linalg
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor


@program(x=4, y=2)
def spectral_filter(mesh):
    def f(signal, response):
        return jnp.fft.irfft(jnp.fft.rfft(signal) * response.astype(jnp.complex64), n=32)
    return Call(f, [tensor((16, 32), P("x")), tensor((17,))])


@program(x=2, y=4)
def poisson_solver(mesh):
    def f(rho):
        k = jnp.fft.fftfreq(16) * 6.28
        k2 = (k * k)[:, None] + (k * k)[None, :]
        return jnp.real(jnp.fft.ifft2(jnp.fft.fft2(rho) / jnp.where(k2 == 0, 1.0, k2)))
    return Call(f, [tensor((8, 16, 16), P("x", "y"))])


@program(x=8)
def cholesky_batched(mesh):
    def f(a, b):
        spd = a @ jnp.swapaxes(a, 1, 2) + 8.0 * jnp.eye(8)
        return linalg.solve_triangular(jnp.linalg.cholesky(spd), b, lower=True)
    return Call(f, [tensor((16, 8, 8), P("x")), tensor((16, 8, 3))])


@program(x=4, y=2)
def orthogonal_projection(mesh):
    def f(a, x):
        q, _ = jnp.linalg.qr(a)
        return q @ (q.T @ x)
    return Call(f, [tensor((16, 8), P("x")), tensor((16, 4), P(None, "y"))])


@program(x=8)
def eigenvalues_batched(mesh):
    def f(a):
        values, vectors = jnp.linalg.eigh(a + jnp.swapaxes(a, 1, 2))
        return values, jnp.abs(vectors)
    return Call(f, [tensor((16, 6, 6), P("x"))])


@program(x=4, y=2)
def heat_stencil(mesh):
    def f(u):
        def step(u, _):
            lap = (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
            return u + 0.1 * lap, jnp.max(u)
        return lax.scan(step, u, None, length=5)
    return Call(f, [tensor((32, 16), P("x", "y"))])


@program(x=8)
def bodies_pairwise(mesh):
    def f(position, mass):
        delta = position[:, None] - position[None]
        force = delta / (jnp.sum(delta ** 2, -1, keepdims=True) + 0.1) ** 1.5
        return -jnp.einsum("ijk,j->ik", force, mass)
    return Call(f, [tensor((32, 3), P("x")), tensor((32,), P("x"))])


@program(x=4, y=2)
def kalman_filter(mesh):
    def f(a, h, z):
        def step(state, measured):
            m, p = state
            m, p = m @ a.T, a @ p @ a.T + jnp.eye(4)
            gain = p @ h.T @ jnp.linalg.inv(h @ p @ h.T + jnp.eye(2))
            m = m + (measured - m @ h.T) @ gain.T
            return (m, p - gain @ h @ p), m
        return lax.scan(step, (jnp.zeros((8, 4)), jnp.eye(4)), z)[1]
    return Call(f, [tensor((4, 4)), tensor((2, 4)), tensor((6, 8, 2), P(None, "x"))])


@program(x=4, y=2)
def sorting_and_ranks(mesh):
    def f(x):
        order = jnp.argsort(x, axis=1)
        return jnp.sort(x, axis=0), order, jnp.take_along_axis(x, order, axis=1)
    return Call(f, [tensor((16, 32), P("x", "y"))])


@program(x=4, y=2)
def cumulative_sums(mesh):
    def f(x):
        return jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, axis=1), lax.associative_scan(jnp.add, x)
    return Call(f, [tensor((16, 8), P("x", "y"))])


@program(x=8)
def monte_carlo(mesh):
    def f(key):
        points = jax.random.uniform(jax.random.wrap_key_data(key), (64, 2))
        points = put(mesh, points, "x")
        return 4.0 * jnp.mean(jnp.sum(points ** 2, -1) < 1.0)
    return Call(f, [tensor((2,), None, jnp.uint32)])


@program(x=4, y=2)
def tensor_contractions(mesh):
    def f(a, b, c):
        return jnp.einsum("abi,bcj,cak->ijk", a, b, c)
    return Call(f, [tensor((8, 4, 6), P("x")), tensor((4, 8, 6), P("y")), tensor((8, 8, 6), P(None, "x"))])


@program(x=4, y=2)
def covariance_reversed(mesh):
    def f(x):
        x = jnp.flip(x - x.mean(0), axis=1)
        return x.T @ x / 15.0, jnp.pad(x, ((1, 2), (0, 3)))
    return Call(f, [tensor((16, 8), P("x", "y"))])


@program(x=4, y=2)
def reshapes_split_and_merge(mesh):
    def f(x):
        a = x.reshape(4, 4, 6, 2).transpose(2, 0, 3, 1)
        return a.reshape(24, 8), x.reshape(-1), x.reshape(2, 96)
    return Call(f, [tensor((16, 12), P("x", "y"))])
