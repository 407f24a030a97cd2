// gpu-all-gather-combiner, gpu-all-reduce-combiner, gpu-reduce-scatter-combiner,
// collective-permute-combiner: collectives of the same devices become one of several arrays.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)      the same groups, both add f32
//   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// Collectives of equal keys may be combined. A key is the opcode, the devices and how they are counted; of sums
// also the element type and the operation that adds. Which of them are combined: combine/combine_groups.h. XLA's combiners run
// on the fused module, whose order is that of priority_fusion/priority_fusion.h (GPUs), or a rule,
// combine/kernel_graph.h (TPUs).
//
// A combined all-gather runs along the most frequent of its dimensions. The operands of other dimensions are bitcast
// with both dimensions exchanged. Reduce-scatters likewise.

#include "tessera/target/passes/collective_combiners.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/target/combine/chains.h"
#include "tessera/target/combine/combine_groups.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/combine/sibling_reductions.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/program/collectives.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr Combiner OfGpus(absl::string_view name, Opcode opcode, int64_t XlaFlags::*threshold,
                          bool XlaFlags::*by_dimension) {
  Combiner combiner = {name, opcode, threshold, by_dimension};
  combiner.order = CombinerOrder::kOfPriorityFusion;
  return combiner;
}

constexpr Combiner kAllGathers = OfGpus("gpu-all-gather-combiner", Opcode::kAllGather,
                                        &XlaFlags::gpu_all_gather_combine_threshold_bytes,
                                        &XlaFlags::gpu_all_gather_combine_by_dim);
constexpr Combiner kAllReduces = OfGpus("gpu-all-reduce-combiner", Opcode::kAllReduce,
                                        &XlaFlags::gpu_all_reduce_combine_threshold_bytes, nullptr);
constexpr Combiner kReduceScatters = OfGpus("gpu-reduce-scatter-combiner", Opcode::kReduceScatter,
                                            &XlaFlags::gpu_reduce_scatter_combine_threshold_bytes,
                                            &XlaFlags::gpu_reduce_scatter_combine_by_dim);
constexpr Combiner kPermutes =
    OfGpus("collective-permute-combiner", Opcode::kCollectivePermute,
           &XlaFlags::gpu_collective_permute_combine_threshold_bytes, nullptr);

int64_t LimitOf(const Context& context, const Combiner& combiner) {
  return combiner.max_bytes_flag == nullptr ? combiner.max_bytes
                                            : context.flags.*combiner.max_bytes_flag;
}

bool HasDimension(Opcode opcode) {
  return opcode == Opcode::kAllGather || opcode == Opcode::kReduceScatter;
}

bool Sums(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kReduceScatter;
}

// --- Keys ----------------------------------------------------------------------------------------

// Element type, reduction, less the devices of a group, devices, channel, global ids, dimension. In their order
// TPUs combine: f32 before bf16, large groups before small ones.
using Key = std::tuple<int, int, int64_t, GroupsId, bool, bool, int64_t>;

// As it was in front of the pass that narrows.
layout::Shape ShapeAtCombining(const Context& context, const Combiner& combiner, InstructionId id) {
  const layout::Shape& shape = context.program.shape(id);
  const bool is_narrowed =
      !combiner.narrowed_by.empty() && context.origins.Of(id).made_by == combiner.narrowed_by;
  return is_narrowed ? Retyped(shape, layout::ElementType::kF32) : shape;
}

absl::StatusOr<Key> KeyOf(Context& context, const Combiner& combiner, InstructionId id) {
  const DeviceProgram& program = context.program;
  TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
  const DeviceMode mode = ModeOf(program, id);
  const bool by_dimension =
      combiner.by_dimension != nullptr && context.flags.*combiner.by_dimension;
  const bool sums = Sums(combiner.opcode);
  return Key(sums ? static_cast<int>(ShapeAtCombining(context, combiner, id).element_type()) : -1,
             sums ? static_cast<int>(*ReductionOf(program, id)) : -1,
             -context.groups.SizeOf(groups), groups, mode.has_channel, mode.uses_global_ids,
             by_dimension ? CollectiveDimension(program, id) : -1);
}

bool IsCandidate(const DeviceProgram& program, const Combiner& combiner, InstructionId id) {
  if (program.opcode(id) != combiner.opcode || program.operands(id).size() != 1) return false;
  if (program.IsPinned(id) || !program.shape(id).is_array()) return false;
  return !Sums(combiner.opcode) || ReductionOf(program, id).has_value();
}

// Equal keys have one number; smaller keys smaller ones.
void NumberKeys(const std::vector<Key>& keys, std::vector<CombineCandidate>* candidates) {
  absl::btree_map<Key, int> numbers;
  for (const Key& key : keys) numbers[key] = 0;
  int next = 0;
  for (auto& [key, number] : numbers) number = next++;
  for (size_t k = 0; k < keys.size(); ++k) (*candidates)[k].key = numbers[keys[k]];
}

// Of instructions, which the candidates name by their places.
absl::StatusOr<std::vector<CombineCandidate>> CandidatesOf(
    Context& context, const Combiner& combiner, absl::Span<const InstructionId> instructions) {
  std::vector<CombineCandidate> candidates;
  std::vector<Key> keys;  // of the candidates
  for (KernelId k = 0; k < instructions.size(); ++k) {
    const InstructionId id = instructions[k];
    if (context.program.IsRemoved(id) || !IsCandidate(context.program, combiner, id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const Key key, KeyOf(context, combiner, id));
    const GroupsId groups = std::get<GroupsId>(key);
    if (combiner.stays_alone != nullptr && combiner.stays_alone(context, id, groups)) continue;
    const layout::Shape shape = ShapeAtCombining(context, combiner, id);
    keys.push_back(key);
    candidates.push_back({k, 0,
                          combiner.weight == nullptr ? layout::DataBytes(shape)
                                                     : combiner.weight(context, groups, shape)});
  }
  NumberKeys(keys, &candidates);
  return candidates;
}

CombineLimits LimitsOf(const Context& context, const Combiner& combiner) {
  CombineLimits limits;
  limits.bytes = LimitOf(context, combiner);
  limits.by_height = combiner.by_height;
  limits.count =
      combiner.max_arrays_flag == nullptr
          ? combiner.max_arrays
          : static_cast<size_t>(std::max<int64_t>(context.flags.*combiner.max_arrays_flag, 0));
  return limits;
}

// Those of each key that are no larger than a whole group, by size. Keys of which no two fit into one are left out.
std::vector<std::vector<InstructionId>> FittingByKey(const std::vector<InstructionId>& instructions,
                                                     std::vector<CombineCandidate> candidates,
                                                     const CombineLimits& limits) {
  absl::c_sort(candidates, [](const CombineCandidate& a, const CombineCandidate& b) {
    return std::tie(a.key, a.bytes) < std::tie(b.key, b.bytes);
  });
  std::vector<std::vector<InstructionId>> fitting;
  for (size_t first = 0, end = 0; first < candidates.size(); first = end) {
    while (end < candidates.size() && candidates[end].key == candidates[first].key) ++end;
    if (end - first < 2 || candidates[first + 1].bytes > limits.bytes - candidates[first].bytes)
      continue;
    std::vector<InstructionId>& row = fitting.emplace_back();
    for (size_t k = first; k < end; ++k) {
      if (candidates[k].bytes <= limits.bytes) row.push_back(instructions[candidates[k].kernel]);
    }
  }
  return fitting;
}

// all-reduce-contiguous changes it, so that it has to be fused in front of that pass.
bool IsSumOfSeveral(const DeviceProgram& program, InstructionId id) {
  return !program.IsRemoved(id) && program.opcode(id) == Opcode::kAllReduce &&
         program.operands(id).size() > 1;
}

// If not, nothing becomes one in any order: of each key any two need each other.
bool MayCombine(DeviceProgram& program, ComputationId c,
                const std::vector<std::vector<InstructionId>>& fitting) {
  const auto is_sum = [&](InstructionId id) { return IsSumOfSeveral(program, id); };
  if (absl::c_any_of(program.module().computation(c).instructions, is_sum)) return true;
  Chains chains(program, c);
  return !absl::c_all_of(fitting, [&](const auto& row) { return chains.IsChain(row); });
}

// --- One in place of several ---------------------------------------------------------------------

// Of the members the most frequent one, of several the least; 0 if some member has too few.
int64_t CommonDimension(const DeviceProgram& program, const std::vector<InstructionId>& members) {
  std::vector<int64_t> counts;
  int64_t least_rank = program.shape(members[0]).rank();
  for (const InstructionId id : members) {
    const auto dimension = static_cast<size_t>(CollectiveDimension(program, id));
    counts.resize(std::max(counts.size(), dimension + 1));
    ++counts[dimension];
    least_rank = std::min(least_rank, program.shape(id).rank());
  }
  const int64_t common = std::max_element(counts.begin(), counts.end()) - counts.begin();
  return common < least_rank ? common : 0;
}

// `shape` with the two dimensions exchanged. Its layout is that of the same bytes.
layout::Shape Exchanged(const layout::Shape& shape, int64_t a, int64_t b) {
  layout::Shape exchanged = shape;
  exchanged.set_dim(a, shape.dim(b));
  exchanged.set_dim(b, shape.dim(a));
  if (!shape.has_layout()) exchanged.set_layout(layout::Layout::Descending(shape.rank()));
  for (int64_t& d : exchanged.mutable_layout().minor_to_major) d = d == a ? b : d == b ? a : d;
  return exchanged;
}

class OneOfMany {
 public:
  OneOfMany(Context& context, const Combiner& combiner, std::vector<InstructionId> members)
      : context_(context),
        program_(context.program),
        combiner_(combiner),
        members_(std::move(members)) {}

  InstructionId Make() {
    const bool has_dimension = HasDimension(combiner_.opcode);
    if (has_dimension) dimension_ = CommonDimension(program_, members_);
    std::vector<InstructionId> operands;
    std::vector<layout::Shape> shapes;
    for (const InstructionId id : members_) {
      const InstructionId operand = program_.operand(id, 0);
      operands.push_back(IsOfAnother(id) ? AddBitcast(program_, operand, Along(id, operand))
                                         : operand);
      shapes.push_back(IsOfAnother(id) ? Along(id, id) : program_.shape(id));
    }
    const InstructionId one =
        program_.Clone(members_[0], operands, layout::Shape::Tuple(std::move(shapes)));
    if (has_dimension) {
      program_.SetAttribute(one, AttributeName::kDimensions, absl::StrCat("{", dimension_, "}"));
    }
    context_.origins.Combine(combiner_.name, one, members_);
    for (size_t k = 0; k < members_.size(); ++k) TakeFrom(one, k);
    return one;
  }

 private:
  bool IsOfAnother(InstructionId member) const {
    return HasDimension(combiner_.opcode) && CollectiveDimension(program_, member) != dimension_;
  }
  layout::Shape Along(InstructionId member, InstructionId of) const {
    return Exchanged(program_.shape(of), CollectiveDimension(program_, member), dimension_);
  }

  void TakeFrom(InstructionId one, size_t k) {
    const InstructionId member = members_[k];
    InstructionId result = program_.AddGetTupleElement(one, static_cast<int64_t>(k));
    if (IsOfAnother(member)) result = AddBitcast(program_, result, program_.shape(member));
    program_.ReplaceUses(member, result);
    program_.Remove(member);
  }

  Context& context_;
  DeviceProgram& program_;
  const Combiner& combiner_;
  const std::vector<InstructionId> members_;
  int64_t dimension_ = 0;
};

KernelGraph& KernelsOf(Context& context, const Combiner& combiner, ComputationId c) {
  const auto [found, is_new] = context.kernels.try_emplace(c);
  if (combiner.order != CombinerOrder::kOfPriorityFusion) {
    const bool fuses = combiner.order == CombinerOrder::kOfKernels;
    found->second = MakeKernelGraph(context.program, c, fuses);
    if (fuses) AddSiblingReductions(context.program, c, &found->second);
  } else if (is_new) {
    found->second = FuseKernels(context.program, c, context.fusions, &context.results[c]);
  }
  return found->second;
}

// The order of kernels is dear, and asked for only where two candidates fit together. Candidates
// that cannot be told apart are reported in that order.
absl::Status CombineIn(Context& context, const Combiner& combiner, ComputationId c) {
  const auto is_candidate = [&](InstructionId id) {
    return !context.program.IsRemoved(id) && IsCandidate(context.program, combiner, id);
  };
  const auto& instructions = context.program.module().computation(c).instructions;
  if (absl::c_count_if(instructions, is_candidate) < 2) return absl::OkStatus();
  const CombineLimits limits = LimitsOf(context, combiner);
  const auto all = CandidatesOf(context, combiner, instructions);
  if (all.ok()) {
    const auto fitting = FittingByKey(instructions, *all, limits);
    if (fitting.empty()) return absl::OkStatus();
    if (!MayCombine(context.program, c, fitting)) {
      if (combiner.order == CombinerOrder::kOfPriorityFusion) context.unfused.insert(c);
      return absl::OkStatus();
    }
  }
  KernelGraph& graph = KernelsOf(context, combiner, c);
  TESSERA_ASSIGN_OR_RETURN(const auto candidates,
                           CandidatesOf(context, combiner, graph.instructions));
  std::vector<MergedKernels> merged;
  for (std::vector<KernelId>& group : CombineGroups(graph, candidates, limits)) {
    std::vector<InstructionId> members;
    for (const KernelId kernel : group) members.push_back(graph.instructions[kernel]);
    const InstructionId one = OneOfMany(context, combiner, std::move(members)).Make();
    merged.push_back({std::move(group), one});
  }
  Merge(merged, &graph);
  return absl::OkStatus();
}

}  // namespace

absl::Status Combine(Context& context, const Combiner& combiner) {
  for (const ComputationId c : context.program.Computations()) {
    TESSERA_RETURN_IF_ERROR(CombineIn(context, combiner, c));
  }
  return absl::OkStatus();
}

absl::Status CombineAllGathers(Context& context) { return Combine(context, kAllGathers); }
absl::Status CombineAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineReduceScatters(Context& context) { return Combine(context, kReduceScatters); }
absl::Status CombineCollectivePermutes(Context& context) { return Combine(context, kPermutes); }

}  // namespace tessera::target
