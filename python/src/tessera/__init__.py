"""The shardings that XLA will give a JAX program, why, and what they cost: before anything is compiled.

    import tessera
    t = tessera.shard(step, params, batch, mesh="data=4,model=2")   # also: .lower(..), .trace(..), HLO text, a file, a folder of dumps
    t["dot_general.3"].sharding                                     # NamedSharding(mesh=AbstractMesh(..), spec=P('data', 'model'))
    print(t.explain("dot_general.3"))                               # the way back to its annotation
    t.with_mesh(data=8, model=4).memory("16GiB").fits
    print(t.sweep(["data=8,model=4", "data=4,model=8"]))            # many variants, ranked

jax is imported only where its types are used.
"""

from tessera._engine import __version__
from tessera.answers import CommBill, Comparison, Cost, Lint, Memory, Suggestion, SweepCompiled, Variant
from tessera.cluster import Interrupted
from tessera.compiled import CompiledComparison
from tessera.device_module import DeviceModule, DeviceTensor, DeviceTensors
from tessera.errors import ShardingError, UnknownTensor
from tessera.explanation import Explanation
from tessera.grid import Grid
from tessera.messages import (AxisChange, BorderArray, BorderComparison, Buffer, ByteSum, CallTotals, ChangeCause, Collective, CollectiveBetween,
                              CollectiveMatch, CollectivePart, CommInstruction, CommLine, CommSum, CommUnpriced, CommWork, ConfirmedVariant,
                              CostAgainst, CostAxis, CostCollective, CostKernel, CostMeasured, CostSum, FinalReshardCollective, LintFinding,
                              LoopLevel, MeasureRow, MemoryFix, MemoryPoint, OtherMemory, PeakArray, PeakBand, PeakFinding, RecordedTensor,
                              Reshard, ReshardCollective, ReshardCost, ReshardFix, SentChange, SuggestedAnnotation, SuggestedCost,
                              SuggestedVariant, TensorChange, TiedResult)
from tessera.relayouts import relayout
from tessera.rows import Rows
from tessera.searches import suggest, sweep
from tessera.sharded import Sharded, shard
from tessera.sweep_table import Sweep
from tessera.tensor import Mesh, Tensor
from tessera.tensors import Tensors
from tessera.testing import assert_shardings

__all__ = [
    "__version__", "AxisChange", "BorderArray", "BorderComparison", "Buffer", "ByteSum", "CallTotals", "ChangeCause", "Collective", "CollectiveBetween",
    "CollectiveMatch", "CollectivePart", "CommBill", "CommInstruction", "CommLine", "CommSum", "CommUnpriced", "CommWork", "Comparison",
    "CompiledComparison", "ConfirmedVariant", "Cost", "CostAgainst", "CostAxis", "CostCollective", "CostKernel", "CostMeasured", "CostSum",
    "DeviceModule", "DeviceTensor", "DeviceTensors", "Explanation", "FinalReshardCollective", "Grid", "Interrupted", "Lint", "LintFinding", "LoopLevel",
    "MeasureRow", "Memory", "MemoryFix", "MemoryPoint", "Mesh",
    "OtherMemory", "PeakArray", "PeakBand", "PeakFinding", "RecordedTensor", "Reshard", "ReshardCollective", "ReshardCost", "ReshardFix", "Rows",
    "SentChange",
    "Sharded", "ShardingError", "SuggestedAnnotation", "SuggestedCost", "SuggestedVariant", "Suggestion", "Sweep", "SweepCompiled", "Tensor", "TensorChange",
    "Tensors", "TiedResult", "UnknownTensor", "Variant", "assert_shardings", "relayout", "shard", "suggest", "sweep"
]
