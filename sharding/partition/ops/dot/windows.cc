#include "tessera/sharding/partition/ops/dot/windows.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {
namespace {

using recipe::Windows;
using Kind = Windows::Kind;

// How the operand that moves is cut on all devices.
std::optional<Kind> KindOf(const WindowTask::Cuts& cuts, int64_t devices) {
  if (cuts.contracting == devices) return Kind::kContracting;
  if (cuts.own == devices) return Kind::kOwn;
  if (cuts.batch == devices) return Kind::kBatch;
  return std::nullopt;
}

// --- Whether they pay -----------------------------------------------------------------------------

// Permutes take as long as the all-gather, and one more pair of them is needed at the end.
bool Pay(const WindowedDots& options, double flops, int64_t bytes, int64_t devices) {
  if (bytes < options.least_bytes) return false;
  if (bytes <= options.few_bytes) return true;
  const double sent = static_cast<double>(bytes);
  return devices > 2 && flops * static_cast<double>(devices) > 2 * options.flops_per_byte * sent;
}

// Groups of four that fill two sides of two.
bool AreSquares(const std::vector<int64_t>& torus, const DeviceGroupScope& scope) {
  if (scope.devices() != 4 || torus.empty()) return false;
  for (const auto& [a, b] : scope.PairsOnAllDevices({{0, 1}, {0, 2}, {0, 3}})) {
    if (!DifferAlongTwos(torus, a, b)) return false;
  }
  return true;
}

bool AreInOneSlice(int64_t slice_devices, const DeviceGroupScope& scope) {
  std::vector<std::pair<int64_t, int64_t>> to_first;
  for (int64_t k = 1; k < scope.devices(); ++k) to_first.emplace_back(0, k);
  const auto pairs = scope.PairsOnAllDevices(to_first);
  return absl::c_all_of(pairs, [&](const auto& pair) {
    return pair.first / slice_devices == pair.second / slice_devices;
  });
}

class Exchange {
 public:
  Exchange(DotJob& job, const DotTask& task, const WindowedDots& options)
      : job_(job), task_(task), options_(options), graph_(task.lhs.scope->graph()) {}

  DotTry Run() {
    const int64_t slice = options_.slice_devices;
    if (slice > 0 && !AreInOneSlice(slice, *task_.lhs.scope)) return std::nullopt;
    WindowTask task = {task_.lhs.tiling, task_.rhs.tiling, task_.out, {}, {}, task_.devices};
    const DotDims& dims = job_.dims;
    const Tiling &lhs = task.lhs, &rhs = task.rhs;
    task.of_lhs = {CutsOf(lhs, dims.lhs_non_contracting, Side::kLhs),
                   CutsOf(lhs, dims.contracting, Side::kLhs), CutsOf(lhs, dims.batch, Side::kLhs),
                   CutsOf(task.out, dims.lhs_non_contracting, Side::kOut)};
    task.of_rhs = {CutsOf(rhs, dims.rhs_non_contracting, Side::kRhs),
                   CutsOf(rhs, dims.contracting, Side::kRhs), CutsOf(rhs, dims.batch, Side::kRhs),
                   CutsOf(task.out, dims.rhs_non_contracting, Side::kOut)};
    const auto plan = PlanWindows(dims, task, [this](Side moves) {
      if (moves == Side::kOut) return options_.of_scatters && PaysToMove(moves);
      return options_.of_gathers && PaysToMove(moves) &&
             (options_.even_if_shared || !SharesGather(*job_.visit, moves));
    });
    if (!plan.has_value()) return std::nullopt;
    return Make(*plan);
  }

 private:
  const Shape& ShardOf(const PartitionedHlo& value) const { return graph_.shape(value.node); }

  bool PaysToMove(Side moves) const {
    Shape lhs = ShardOf(task_.lhs), rhs = ShardOf(task_.rhs);
    int64_t bytes = 0;
    if (moves == Side::kLhs) bytes = Bytes(lhs = PaddedShape(task_.lhs.base, task_.lhs.tiling));
    if (moves == Side::kRhs) bytes = Bytes(rhs = PaddedShape(task_.rhs.base, task_.rhs.tiling));
    if (moves == Side::kOut) bytes = Bytes(job_.shape(lhs, rhs));
    if (bytes > options_.few_bytes && AreSquares(options_.torus, *task_.lhs.scope)) return false;
    return Pay(options_, FlopsOf(job_, lhs, rhs), bytes, task_.devices);
  }

  // Of an array that is whole on the device, the tiles that `tiling` gives to each device.
  std::vector<Windows::Part> PartsOf(const Tiling& tiling, const Shape& base) const {
    std::vector<Windows::Part> parts;
    const Shape shard = ShardShape(base, tiling);
    for (int64_t dim = 0; dim < base.rank(); ++dim) {
      if (tiling.dim(dim) == 1) continue;
      Windows::Part part = {dim, shard.dim(dim), IndicesAlong(tiling, dim, task_.devices)};
      for (int64_t& start : part.starts) start *= part.size;
      parts.push_back(std::move(part));
    }
    return parts;
  }

  NodeId Make(const WindowPlan& plan) {
    PartitionedHlo lhs = task_.lhs, rhs = task_.rhs;
    PartitionedHlo& moves = plan.lhs_moves ? lhs : rhs;
    const PartitionedHlo& stays = plan.lhs_moves ? rhs : lhs;
    if (plan.kind == Kind::kContracting) moves = MaskedWithZero(moves);
    if (plan.kind == Kind::kScatter) {
      lhs = MaskedWithZero(lhs);
      rhs = MaskedWithZero(rhs);
    }
    const Shape out = OutOf(plan, ShardOf(lhs), ShardOf(rhs));
    const Side side = plan.lhs_moves ? Side::kLhs : Side::kRhs;
    const Side other = plan.lhs_moves ? Side::kRhs : Side::kLhs;
    const RecipeId recipe = graph_.Keep([&] {
      Windows windows = Around(plan);
      windows.dims.assign(out.dims().begin(), out.dims().end());
      const DotDims& dims = job_.dims;
      if (plan.kind == Kind::kScatter) {
        windows.taken = PartsOf(*Carried(task_.out, dims, Side::kOut, other), stays.base);
      } else if (plan.kind != Kind::kOwn) {
        windows.taken = PartsOf(*Carried(moves.tiling, dims, side, other), stays.base);
      }
      if (plan.kind == Kind::kOwn || plan.kind == Kind::kBatch) {
        windows.placed = PartsOf(*Carried(moves.tiling, dims, side, Side::kOut), task_.out_base);
      }
      return recipe::SharedWindows(std::make_shared<const Windows>(std::move(windows)));
    });
    ++job_.windows;
    const Visit& v = *job_.visit;
    return graph_.Add(v.module().instruction(v.id).opcode, out, {lhs.node, rhs.node}, recipe);
  }

  // Of what a device has of the result in the end.
  Shape OutOf(const WindowPlan& plan, const Shape& lhs, const Shape& rhs) const {
    Shape whole_lhs = lhs, whole_rhs = rhs;
    if (plan.kind != Kind::kScatter) {
      (plan.lhs_moves ? whole_lhs : whole_rhs) = plan.lhs_moves ? task_.lhs.base : task_.rhs.base;
    }
    const Shape out = job_.shape(whole_lhs, whole_rhs);
    return plan.kind == Kind::kScatter ? ShardShape(out, task_.out) : out;
  }

  // The ring of the group's devices.
  Windows Around(const WindowPlan& plan) const {
    Windows windows;
    windows.kind = plan.kind;
    windows.lhs_moves = plan.lhs_moves;
    windows.devices = task_.devices;
    windows.in_both_directions = options_.in_both_directions && task_.devices % 4 == 0;
    const DeviceGroupScope& scope = *task_.lhs.scope;
    windows.number = graph_.recipes().Table(
        TableOfNumbers({scope.NumbersOfAllDevices().begin(), scope.NumbersOfAllDevices().end()}));
    DeviceGroupScope::Pairs back, forth;
    for (int64_t i = 0; i < task_.devices; ++i) {
      back.emplace_back(i, (i + task_.devices - 1) % task_.devices);
      forth.emplace_back(i, (i + 1) % task_.devices);
    }
    windows.back = scope.PairsOnAllDevices(back);
    windows.forth = scope.PairsOnAllDevices(forth);
    return windows;
  }

  DotJob& job_;
  const DotTask& task_;
  const WindowedDots& options_;
  Graph& graph_;
};

}  // namespace

double FlopsOf(const DotJob& job, const Shape& lhs, const Shape& rhs) {
  double flops = 2 * static_cast<double>(Product(job.shape(lhs, rhs).dims()));
  for (const DotDim& dim : job.dims.contracting) flops *= static_cast<double>(lhs.dim(dim.lhs));
  for (const DotDim& dim : job.dims.spatial) flops *= static_cast<double>(rhs.dim(dim.rhs));
  return flops;
}

std::optional<WindowPlan> PlanWindows(const DotDims& dims, const WindowTask& task,
                                      MayMove may_move) {
  const WindowTask::Cuts &lhs = task.of_lhs, &rhs = task.of_rhs;
  const auto lies_as_result = [&](const WindowTask::Cuts& cuts, const Tiling& tiling, Side side) {
    return cuts.out_own == task.devices && Carried(task.out, dims, Side::kOut, side) == tiling;
  };
  if (lies_as_result(lhs, task.lhs, Side::kLhs)) {
    const auto kind = KindOf(rhs, task.devices);
    if (kind.has_value() && may_move(Side::kRhs)) return WindowPlan{*kind, false};
  }
  if (lies_as_result(rhs, task.rhs, Side::kRhs)) {
    const auto kind = KindOf(lhs, task.devices);
    if (kind.has_value() && may_move(Side::kLhs)) return WindowPlan{*kind, true};
  }
  if (lhs.contracting != rhs.contracting || lhs.contracting != task.devices) return std::nullopt;
  if (lhs.out_own != task.devices && rhs.out_own != task.devices) return std::nullopt;
  if (!may_move(Side::kOut)) return std::nullopt;
  return WindowPlan{Kind::kScatter, lhs.out_own != task.devices};
}

DotTry DotInWindows(DotJob& job, const DotTask& task) {
  const auto& options = task.lhs.scope->graph().options().windows;
  if (!options.has_value() || job.visit->unreduced) return std::nullopt;
  if (job.wrapped || task.devices < 2 || task.devices > options->most_devices) return std::nullopt;
  return Exchange(job, task, *options).Run();
}

}  // namespace tessera::sharding::partition
