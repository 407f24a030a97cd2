"""The shardings that XLA will give a JAX program, why, and what they cost: before anything is compiled.

    import tessera
    t = tessera.shard(jax.jit(step).lower(*arguments))     # also: .trace(), HLO text, a file, a folder of dumps
    t["dot_general.3"].sharding                            # P('data', 'model')
    print(t.explain("dot_general.3"))                      # the way back to the annotation that asked for it
    t.with_mesh(data=8, model=4).memory(limit="16GiB").fits

jax is imported only where its types are asked for.
"""

from tessera.answers import (AxisChange, ByteSum, Buffer, ChangeCause, Collective, CollectiveBetween, CollectivePart, CommBill, CommLine, CommSum,
                             Comparison, LoopLevel, Memory, MemoryCure, OtherMemory, RecordedTensor, Reshard, ReshardCollective, ReshardCost, ReshardCure,
                             TensorChange)
from tessera.errors import ShardingError, UnknownTensor
from tessera.explanation import Explanation
from tessera.sharded import Sharded, shard
from tessera.tensor import Mesh, Tensor
from tessera.testing import assert_shardings

__all__ = [
    "AxisChange", "Buffer", "ByteSum", "ChangeCause", "Collective", "CollectiveBetween", "CollectivePart", "CommBill", "CommLine", "CommSum", "Comparison",
    "Explanation", "LoopLevel", "Memory", "MemoryCure", "Mesh", "OtherMemory", "RecordedTensor", "Reshard", "ReshardCollective", "ReshardCost", "ReshardCure",
    "Sharded", "ShardingError", "Tensor", "TensorChange", "UnknownTensor", "assert_shardings", "shard"
]
