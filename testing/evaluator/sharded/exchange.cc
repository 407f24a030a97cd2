#include "tessera/testing/evaluator/sharded/exchange.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"

namespace tessera::testing::evaluator {
namespace {

struct Exchanged {
  const Op& op;
  int leaf;
  int64_t rank;
  const ZPoint& out;  // dimensions of the result
  const std::vector<const Array*>& group;

  int dim() const { return static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0)); }
  const Array& of(int64_t r) const { return *group[static_cast<size_t>(r)]; }
};
using CellRule = absl::StatusOr<Cell> (*)(const Exchanged& x, ZPoint at);

absl::StatusOr<Cell> Gathered(const Exchanged& x, ZPoint at) {
  const int64_t tile = x.of(0).dims[x.dim()];
  const int64_t r = at[x.dim()] / tile;
  at[x.dim()] %= tile;
  return x.of(r).At(at);
}

// In order of the ranks.
absl::StatusOr<Cell> Reduced(const Exchanged& x, ZPoint at) {
  const Combiner combiner(x.op, x.op.called());
  Cells sum = {x.of(0).At(at)};
  absl::Status status;
  for (size_t r = 1; r < x.group.size(); ++r)
    status.Update(combiner.Apply({x.group[r]->At(at)}, &sum));
  if (!status.ok()) return status;
  return sum[0];
}

absl::StatusOr<Cell> ReduceScattered(const Exchanged& x, ZPoint at) {
  at[x.dim()] += x.rank * x.out[x.dim()];
  return Reduced(x, at);
}

absl::StatusOr<Cell> Swapped(const Exchanged& x, ZPoint at) {
  if (IsSwapOfOperands(x.op.module, x.op.id)) return x.of(x.leaf).At(at);
  const int64_t part = x.out[x.dim()] / static_cast<int64_t>(x.group.size());
  const int64_t r = at[x.dim()] / part;
  at[x.dim()] = at[x.dim()] % part + x.rank * part;
  return x.of(r).At(at);
}

absl::StatusOr<Cell> Permuted(const Exchanged& x, ZPoint at) {
  const auto pairs = hlo::GetIntLists(x.op.module, x.op.id, AttributeName::kSourceTargetPairs);
  for (const IntList& pair : pairs.value_or(std::vector<IntList>())) {
    if (pair.size() == 2 && pair[1] == x.rank) return x.of(pair[0]).At(at);
  }
  return Cell();
}

absl::StatusOr<Cell> FromRoot(const Exchanged& x, ZPoint at) { return x.of(0).At(at); }

struct Row {
  Opcode opcode;
  CellRule rule;
};
constexpr Row kRows[] = {
    {Opcode::kAllGather, Gathered},
    {Opcode::kAllGatherStart, Gathered},
    {Opcode::kAllReduce, Reduced},
    {Opcode::kAllReduceStart, Reduced},
    {Opcode::kAllToAll, Swapped},
    {Opcode::kCollectiveBroadcast, FromRoot},
    {Opcode::kCollectivePermute, Permuted},
    {Opcode::kCollectivePermuteStart, Permuted},
    {Opcode::kReduceScatter, ReduceScattered},
};

const Row* FindRow(Opcode opcode) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.opcode == opcode; });
  return row == std::end(kRows) ? nullptr : row;
}

bool IsPermute(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

}  // namespace

bool IsExchange(Opcode opcode) {
  return FindRow(opcode) != nullptr || opcode == Opcode::kRaggedAllToAll;
}

bool IsSwapOfOperands(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == Opcode::kAllToAll &&
         !module.HasAttribute(id, AttributeName::kDimensions);
}

std::vector<int64_t> GroupOf(const hlo::Module& module, hlo::InstructionId id, int64_t device,
                             int64_t devices) {
  std::vector<int64_t> all(static_cast<size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  const auto groups = hlo::GetReplicaGroups(module, id);
  const auto lists = groups.has_value() ? groups->Expand() : std::nullopt;
  if (IsPermute(module.instruction(id).opcode) || !lists.has_value()) return all;
  for (const auto& list : *lists) {
    if (std::find(list.begin(), list.end(), device) != list.end())
      return std::vector<int64_t>(list.begin(), list.end());
  }
  return lists->empty() ? all : std::vector<int64_t>();
}

std::vector<int64_t> PartnersOf(const hlo::Module& module, hlo::InstructionId id, int64_t device,
                                const std::vector<int64_t>& group) {
  if (!IsPermute(module.instruction(id).opcode)) return group;
  std::vector<int64_t> partners;
  const auto pairs = hlo::GetIntLists(module, id, AttributeName::kSourceTargetPairs);
  for (const IntList& pair : pairs.value_or(std::vector<IntList>())) {
    if (pair.size() == 2 && Contains(pair, device)) partners.push_back(pair[0] + pair[1] - device);
  }
  return partners;
}

absl::StatusOr<Array> ExchangeBlock(Interpreter& interpreter, hlo::InstructionId id, int leaf,
                                    int64_t rank, const ZRange& block,
                                    const std::vector<const Array*>& group) {
  const hlo::Module& module = interpreter.module();
  const Row* row = FindRow(module.instruction(id).opcode);
  if (row == nullptr) return absl::UnimplementedError("no collective");
  const Op op{interpreter, module, id, {}};
  Array out = MakeArray(*projection::ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)]);
  const Exchanged x{op, leaf, rank, out.dims, group};
  absl::Status status;
  projection::ForEachCell(block, [&](const ZPoint& at) {
    const absl::StatusOr<Cell> cell = row->rule(x, at);
    if (cell.ok()) out.At(at) = *cell;
    status.Update(cell.status());
    return status.ok();
  });
  if (!status.ok()) return status;
  return out;
}

}  // namespace tessera::testing::evaluator
