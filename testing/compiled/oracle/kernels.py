"""Kernels of Pallas: for TPUs by Mosaic, for GPUs by Triton; the library's own and some with scratch, semaphores, aliases and limits.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton as plgpu
from jax.experimental.pallas.ops.tpu import flash_attention as flash, paged_attention as paged, splash_attention as splash
from jax.experimental.pallas.ops.tpu.megablox import gmm
from jax.sharding import PartitionSpec as P

from arrays import BF16, F32, I32, array
from manual import mapped


def flash_attention(mesh):
    """Attention forward and backward, heads over model."""

    def body(q, k, v):
        return flash.flash_attention(q, k, v, causal=True, sm_scale=0.125)

    spec = P("data", "model")
    loss = lambda q, k, v: jnp.mean(mapped(mesh, body, (spec,) * 3, spec)(q, k, v).astype(F32) ** 2)
    x = array(mesh, (4, 8, 1024, 128), "data", "model", dtype=BF16)
    return jax.grad(loss, (0, 1, 2)), (x, x, x), ()


def splash_attention(mesh):
    """Attention in a window: scalars prefetched, grids that skip blocks."""
    mask = splash.splash_attention_mask.MultiHeadMask([splash.splash_attention_mask.LocalMask((1024, 1024), (256, 0), 0)] * 2)

    def body(q, k, v):
        kernel = splash.splash_attention_kernel.make_splash_mha_single_device(mask)
        return jax.vmap(kernel)(q, k, v)

    spec = P("data", "model")
    x = array(mesh, (4, 8, 1024, 128), "data", "model", dtype=BF16)
    return mapped(mesh, body, (spec,) * 3, spec), (x, x, x), ()


def paged_attention(mesh):
    """Decoding from pages of a cache that lie anywhere in HBM."""

    def body(q, k, v, lengths, pages):
        return paged.paged_attention(q, k, v, lengths, pages, pages_per_compute_block=4)

    f = mapped(mesh, body, (P("data", "model"), P("model"), P("model"), P("data"), P("data")), P("data", "model"))
    cache = array(mesh, (8, 512, 16, 128), "model", dtype=BF16)
    return (
        f,
        (
            array(mesh, (16, 16, 128), "data", "model", dtype=BF16),
            cache,
            cache,
            array(mesh, (16,), "data", dtype=I32),
            array(mesh, (16, 32), "data", dtype=I32),
        ),
        (),
    )


def grouped_product(mesh):
    """Megablox: rows in groups of uneven size."""

    def body(x, w, sizes):
        return gmm(x, w, sizes, preferred_element_type=F32)

    f = mapped(mesh, body, (P("data"), P(None, None, "model"), P()), P("data", "model"))
    return f, (array(mesh, (2048, 512), "data", dtype=BF16), array(mesh, (8, 512, 1024), None, None, "model", dtype=BF16), array(mesh, (8,), dtype=I32)), ()


def scratch(mesh):
    """A product with an accumulator in VMEM, a counter in SMEM, a limit on VMEM and an estimate of its cost."""

    def kernel(x, w, out, sums, count):
        @pl.when(pl.program_id(2) == 0)
        def _():
            sums[...] = jnp.zeros_like(sums)
            count[0] = 0

        sums[...] += jnp.dot(x[...], w[...], preferred_element_type=F32)
        count[0] += 1

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            out[...] = (sums[...] / count[0]).astype(out.dtype)

    def body(x, w):
        m, k, n = x.shape[0], x.shape[1], w.shape[1]
        return pl.pallas_call(
            kernel,
            grid=(m // 128, n // 128, k // 256),
            in_specs=[pl.BlockSpec((128, 256), lambda i, j, k: (i, k)), pl.BlockSpec((256, 128), lambda i, j, k: (k, j))],
            out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)),
            out_shape=jax.ShapeDtypeStruct((m, n), BF16),
            name="mean_product",
            scratch_shapes=[pltpu.VMEM((128, 128), F32), pltpu.SMEM((1,), I32)],
            cost_estimate=pl.CostEstimate(flops=2 * m * n * k, bytes_accessed=2 * (m * k + k * n + m * n), transcendentals=0),
            compiler_params=pltpu.CompilerParams(vmem_limit_bytes=32 * 2**20, dimension_semantics=("parallel", "parallel", "arbitrary")),
        )(x, w)

    f = mapped(mesh, body, (P("data"), P(None, "model")), P("data", "model"))
    return f, (array(mesh, (1024, 1024), "data", dtype=BF16), array(mesh, (1024, 2048), None, "model", dtype=BF16)), ()


def in_place(mesh):
    """A kernel that writes into its argument, whose blocks it copies by itself from HBM."""

    def kernel(at, new, cache, out, room, done):
        copy = pltpu.make_async_copy(new, room, done)
        copy.start()
        copy.wait()
        back = pltpu.make_async_copy(room, out.at[pl.ds(pl.multiple_of(at[0], 8), room.shape[0])], done)
        back.start()
        back.wait()

    def body(at, new, cache):
        anywhere = pl.BlockSpec(memory_space=pltpu.HBM)
        spec = pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(1,),
            in_specs=[anywhere, anywhere],
            out_specs=anywhere,
            scratch_shapes=[pltpu.VMEM(new.shape, new.dtype), pltpu.SemaphoreType.DMA],
        )
        return pl.pallas_call(kernel, grid_spec=spec, out_shape=jax.ShapeDtypeStruct(cache.shape, cache.dtype), input_output_aliases={2: 0}, name="write_rows")(
            at, new, cache
        )

    f = mapped(mesh, body, (P(), P(None, "model"), P(None, "model")), P(None, "model"))
    return f, (array(mesh, (1,), dtype=I32), array(mesh, (8, 1024), None, "model"), array(mesh, (4096, 1024), None, "model")), (2,)


def remote(mesh):
    """Each device writes into the memory of its neighbour."""

    def kernel(x, out, sent, received):
        right = lax.rem(lax.axis_index("model") + 1, lax.axis_size("model"))
        ready = pltpu.get_barrier_semaphore()
        pltpu.semaphore_signal(ready, device_id={"model": right}) if hasattr(pltpu, "semaphore_signal") else pl.semaphore_signal(
            ready, device_id={"model": right}
        )
        pl.semaphore_wait(ready, 1) if hasattr(pl, "semaphore_wait") else pltpu.semaphore_wait(ready, 1)
        copy = pltpu.make_async_remote_copy(x, out, sent, received, device_id={"model": right})
        copy.start()
        copy.wait()

    def body(x):
        anywhere = pl.BlockSpec(memory_space=pltpu.HBM)
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            in_specs=[anywhere],
            out_specs=anywhere,
            scratch_shapes=[pltpu.SemaphoreType.DMA] * 2,
            compiler_params=pltpu.CompilerParams(collective_id=0, has_side_effects=True),
            name="to_the_right",
        )(x)

    spec = P("data", "model")
    return mapped(mesh, body, (spec,), spec), (array(mesh, (512, 1024), "data", "model"),), ()


def triton(mesh):
    """A softmax of rows for GPUs."""

    def kernel(x, out):
        row = x[...].astype(F32)
        p = jnp.exp(row - jnp.max(row, -1, keepdims=True))
        out[...] = (p / jnp.sum(p, -1, keepdims=True)).astype(out.dtype)

    def body(x):
        block = pl.BlockSpec((4, x.shape[1]), lambda i: (i, 0))
        return pl.pallas_call(
            kernel,
            grid=(x.shape[0] // 4,),
            in_specs=[block],
            out_specs=block,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            name="softmax_rows",
            compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=2),
        )(x)

    f = mapped(mesh, body, (P("data"),), P("data"))
    return lambda x, w: f(x @ w), (array(mesh, (512, 256), "data", dtype=BF16), array(mesh, (256, 1024), dtype=BF16)), ()
