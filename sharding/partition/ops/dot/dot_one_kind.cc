// All devices along one kind of dimensions: batch, contracting, or non-contracting of one operand.
// XLA: dot_handler, PartitionBaseCase.

#include "tessera/sharding/partition/ops/dot/dot.h"
#include "tessera/sharding/partition/ops/dot/windows.h"

namespace tessera::sharding::partition {
namespace {

class OneKindOfDims {
 public:
  OneKindOfDims(DotJob& job, const DotTask& task, bool may_move)
      : job_(job), task_(task), may_move_(may_move), lhs_(task.lhs), rhs_(task.rhs) {}

  DotTry Run() {
    if (const DotTry node = BothOnBatch()) return node;
    if (const DotTry node = OneOnBatch(/*any_way=*/false)) return node;
    if (const DotTry node = DotInWindows(job_, task_)) return node;
    if (const DotTry node = OneOnBatch(/*any_way=*/true)) return node;
    if (Fits(Lhs(dims().lhs_non_contracting), Out(dims().lhs_non_contracting), lhs_.tiling,
             Side::kLhs)) {
      return job_.Local(lhs_, Replicate(rhs_));
    }
    if (Fits(Rhs(dims().rhs_non_contracting), Out(dims().rhs_non_contracting), rhs_.tiling,
             Side::kRhs)) {
      return job_.Local(Replicate(lhs_), rhs_);
    }
    if (may_move_) {
      if (const DotTry node = AsResult()) return node;
    }
    return task_.out.IsReplicated() ? ReplicatedResult() : std::nullopt;
  }

 private:
  const DotDims& dims() const { return job_.dims; }
  int64_t Lhs(const DotDimList& list) const { return CutsOf(lhs_.tiling, list, Side::kLhs); }
  int64_t Rhs(const DotDimList& list) const { return CutsOf(rhs_.tiling, list, Side::kRhs); }
  int64_t Out(const DotDimList& list) const { return CutsOf(task_.out, list, Side::kOut); }
  std::optional<Tiling> Carry(const Tiling& tiling, Side from, Side to) const {
    return Carried(tiling, dims(), from, to);
  }

  // All devices shard these dimensions of operand and result, and both alike.
  bool Fits(int64_t operand, int64_t result, const Tiling& tiling, Side side) const {
    return operand == task_.devices && result == task_.devices &&
           Carry(tiling, side, Side::kOut) == task_.out;
  }

  NodeId ToResult(NodeId node, const Tiling& tiling) const {
    return Reshard({node, task_.out_base, tiling, lhs_.scope}, task_.out).node;
  }

  DotTry BothOnBatch() {
    if (Lhs(dims().batch) != Rhs(dims().batch) || Rhs(dims().batch) != task_.devices) {
      return std::nullopt;
    }
    if (Carry(lhs_.tiling, Side::kLhs, Side::kRhs) != rhs_.tiling) return std::nullopt;
    return ToResult(job_.Local(lhs_, rhs_), *Carry(lhs_.tiling, Side::kLhs, Side::kOut));
  }

  // One operand has the sharding of the result. The other one is resharded to it, at first only by
  // permutes and all-to-alls.
  DotTry OneOnBatch(bool any_way) {
    const auto reachable = [any_way](const Tiling& from, const Tiling& to) {
      return any_way || CanPermute(from, to) || MovesBetween(from, to).has_value();
    };
    const int64_t out = Out(dims().batch);
    if (Fits(Lhs(dims().batch), out, lhs_.tiling, Side::kLhs)) {
      const Tiling wanted = *Carry(lhs_.tiling, Side::kLhs, Side::kRhs);
      if (!reachable(rhs_.tiling, wanted)) return std::nullopt;
      return job_.Local(lhs_, Reshard(rhs_, wanted));
    }
    if (Fits(Rhs(dims().batch), out, rhs_.tiling, Side::kRhs)) {
      const Tiling wanted = *Carry(rhs_.tiling, Side::kRhs, Side::kLhs);
      if (!reachable(lhs_.tiling, wanted)) return std::nullopt;
      return job_.Local(Reshard(lhs_, wanted), rhs_);
    }
    return std::nullopt;
  }

  NodeId SumOverContracting(const PartitionedHlo& lhs, const PartitionedHlo& rhs) const {
    const PartitionedHlo masked = MaskedWithZero(lhs);
    const NodeId node = job_.Local(masked, MaskedWithZero(rhs));
    return masked.scope->AllReduceOver(node, masked.tiling, DimsOf(dims().contracting, Side::kLhs),
                                       SumOf(task_.out_base));
  }

  DotTry AsResult() {
    if (Out(dims().batch) == task_.devices) {
      const PartitionedHlo lhs = Reshard(lhs_, *Carry(task_.out, Side::kOut, Side::kLhs));
      return job_.Local(lhs, Reshard(rhs_, *Carry(task_.out, Side::kOut, Side::kRhs)));
    }
    if (Out(dims().lhs_non_contracting) == task_.devices) {
      const PartitionedHlo lhs = Reshard(lhs_, *Carry(task_.out, Side::kOut, Side::kLhs));
      return job_.Local(lhs, Replicate(rhs_));
    }
    if (Out(dims().rhs_non_contracting) == task_.devices) {
      const PartitionedHlo lhs = Replicate(lhs_);
      return job_.Local(lhs, Reshard(rhs_, *Carry(task_.out, Side::kOut, Side::kRhs)));
    }
    return std::nullopt;
  }

  // One operand is sharded along contracting dimensions; the other follows.
  DotTry ReplicatedResult() {
    const auto larger = [this](const PartitionedHlo& operand) {
      return operand.base.NumElements().value_or(0) > task_.out_base.NumElements().value_or(0);
    };
    if (Rhs(dims().contracting) == task_.devices && lhs_.tiling.IsReplicated() && larger(rhs_)) {
      return SumOverContracting(Reshard(lhs_, *Carry(rhs_.tiling, Side::kRhs, Side::kLhs)), rhs_);
    }
    if (Lhs(dims().contracting) == task_.devices && rhs_.tiling.IsReplicated() && larger(lhs_)) {
      return SumOverContracting(lhs_, Reshard(rhs_, *Carry(lhs_.tiling, Side::kLhs, Side::kRhs)));
    }
    return std::nullopt;
  }

  DotJob& job_;
  const DotTask& task_;
  const bool may_move_;
  const PartitionedHlo &lhs_, &rhs_;
};

}  // namespace

DotTry DotOnOneKindOfDims(DotJob& job, const DotTask& task, bool may_move) {
  if (task.out.LastIsReplicated()) return std::nullopt;
  return OneKindOfDims(job, task, may_move).Run();
}

}  // namespace tessera::sharding::partition
