"""Which program is compiled for which place: a TPU topology, the target configuration of a GPU, or CPU."""

import control
import kernels
import manual
import networks
import numbers_of_types as numbers

V5E, V5P, V6E, V5E_16, V5P_64, V5E_256 = "v5e:2x4", "v5p:2x2x2", "v6e:2x4", "v5e:4x4", "v5p:4x4x4", "v5e:16x16"
A100, H100, H200, B200, CPU = "a100_sxm_80:1x1x8", "h100_sxm:1x1x8", "h200:1x1x8", "b200:1x1x8", "cpu:8"

PLACES = {
    networks.conv_odd: (V5E, H100, CPU),
    networks.conv_volume: (V6E, A100),
    networks.wavenet: (V5P, CPU),
    networks.gpt: (V5E_16, V5P_64, H200, CPU),
    networks.decode: (V6E, B200),
    networks.experts: (V5E, H100),
    networks.recurrent: (V5E, CPU),
    networks.graph: (V5P, A100),
    networks.diffusion: (V6E, H100),
    control.loops: (V5E, H100, CPU),
    control.branches: (V5P, A100, CPU),
    control.orders: (V6E, H100, CPU),
    control.reductions: (B200,),
    control.random: (V5E, H100, CPU),
    control.state_space: (V6E, H100),
    control.solvers: (V5E, H100, CPU),
    control.triangular: (V5P,),
    control.callbacks: (CPU, V5E),
    control.constants: (V5E, CPU),
    control.barriers: (V6E, H100),
    control.hessian: (V5P,),
    numbers.int8: (V6E, H100),
    numbers.int4: (V5E, V5P),
    numbers.fp8: (V6E, H100, B200),
    numbers.waves: (V5E, H100, CPU),
    numbers.complex_numbers: (V5P, CPU),
    numbers.doubles: (H100, CPU),
    numbers.bits: (V5E, CPU),
    numbers.special: (V6E, CPU),
    numbers.embedding: (V5P, H100),
    numbers.stencil: (V5E_16, H100),
    numbers.images: (V5E, CPU),
    manual.collectives: (V5E, V6E, H100, CPU),
    manual.ring_attention: (V5P, H100),
    manual.pipeline: (V5E, A100),
    manual.ragged_exchange: (V5P, V6E, H100),
    manual.ragged_dot: (V5E, H100, CPU),
    manual.offload: (V5E, H100),
    manual.offload_remat: (V5P,),
    manual.host_work: (V5E,),
    manual.fully_sharded: (V5E_256, V5P_64),
    kernels.flash_attention: (V5E, V6E),
    kernels.splash_attention: (V5P,),
    kernels.paged_attention: (V5E,),
    kernels.grouped_product: (V6E,),
    kernels.scratch: (V5E, V5P),
    kernels.in_place: (V5E,),
    kernels.remote: (V5E,),
    kernels.triton: (H100, A100),
}
