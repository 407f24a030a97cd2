// schedule-aware-collective-cse: of two equal all-gathers, the second goes if they are near.
//
//   a = f32[8] all-gather(x), ..., b = f32[8] all-gather(x)    ->  a in its place, or both stay
//
// One gather for the forward and the backward pass would keep the gathered array all the time between.
// Distance is counted from the root: an instruction is one higher than its highest user. Two are near if
// the lowest user of the first is at most 100 higher than the second
// (xla_tpu_spmd_threshold_for_allgather_cse). A gather that is too far takes the place of the first for
// those after it. Equal permutes are always one, so that gathers of them read one array. All 72 pairs of
// six programs agree with the modules that the compiler dumps in front of the pass. So do all 26
// distances of three more. Linear in instructions and uses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int64_t kFarthest = 100;

// Steps are counted in the module that the compiler has here. Reshapes are merged, products have no dimension
// of size one, and broadcasts read arrays without one. So a reshape is a step where the sizes of its source are
// not those that its reader wants. It is one, too, where a product or broadcast needs a reshape that the module
// does not have. When the pass runs again, a reduce loses dimensions of size one by itself.
class Steps {
 public:
  Steps(const DeviceProgram& program, bool is_again) : program_(program), is_again_(is_again) {}

  // From `id` to the reader, the reader included.
  int64_t Between(InstructionId id, InstructionId user) const {
    return IsFree(user) ? 0 : 1 + ReshapesBetween(id, user);
  }

  int64_t ReshapesBetween(InstructionId id, InstructionId user) const {
    if (IsFree(user)) return 0;
    const bool reads_no_ones = IsWithoutOnes(user) || program_.opcode(user) == Opcode::kBroadcast;
    const InstructionId source = SourceOf(id);
    if (source == id && !IsWithoutOnes(source) && !reads_no_ones) return 0;
    const layout::Shape& wanted = program_.shape(id);
    const layout::Shape& made = program_.shape(source);
    if (wanted.is_tuple() || made.is_tuple()) return 0;
    const bool is_folded = program_.opcode(source) == Opcode::kBroadcast ||
                           (is_again_ && program_.opcode(source) == Opcode::kReduce) ||
                           program_.opcode(user) == Opcode::kReduce;
    return Sizes(made, is_folded || IsWithoutOnes(source)) !=
           Sizes(wanted, is_folded || reads_no_ones);
  }

 private:
  static hlo::IntList Sizes(const layout::Shape& shape, bool is_without_ones) {
    if (is_without_ones) return SizesWithoutOnes(shape);
    return hlo::IntList(shape.dims().begin(), shape.dims().end());
  }

  bool IsFree(InstructionId id) const {
    return program_.opcode(id) == Opcode::kReshape || program_.opcode(id) == Opcode::kCopy;
  }
  bool IsWithoutOnes(InstructionId id) const { return program_.opcode(id) == Opcode::kDot; }

  InstructionId SourceOf(InstructionId id) const {
    while (IsFree(id)) id = program_.operand(id, 0);
    return id;
  }

  const DeviceProgram& program_;
  const bool is_again_;
};

class Heights {
 public:
  // `heights`: by instruction, shared by all computations of the program.
  Heights(const DeviceProgram& program, bool is_again, const std::vector<InstructionId>& order,
          std::vector<int64_t>* heights)
      : program_(program), steps_(program, is_again), heights_(*heights) {
    heights_.resize(program.module().num_instructions());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      int64_t height = 0;
      program.ForEachUse(*it, [&](InstructionId user) {
        height = std::max(height, heights_[user] + steps_.Between(*it, user));
      });
      heights_[*it] = height;
    }
  }

  int64_t Of(InstructionId id) const { return heights_[id]; }
  int64_t OfLowestUser(InstructionId id) const {
    int64_t lowest = Of(id);
    program_.ForEachUse(id, [&](InstructionId user) {
      lowest = std::min(lowest, Of(user) + steps_.ReshapesBetween(id, user));
    });
    return lowest;
  }

 private:
  const DeviceProgram& program_;
  const Steps steps_;
  std::vector<int64_t>& heights_;
};

bool IsPermute(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kCollectivePermute;
}

bool IsMerged(const DeviceProgram& program, InstructionId id) {
  return (program.opcode(id) == Opcode::kAllGather || IsPermute(program, id)) &&
         program.operands(id).size() == 1;
}

// The operations between an array and a collective of it. The compiler has no copies here. When the
// pass runs again, it gathers arrays without dimensions of size one (canon-all-gather-for-cse).
class Sent {
 public:
  Sent(Context& context, bool is_again) : context_(context), is_again_(is_again) {}

  InstructionId By(InstructionId collective) const {
    const DeviceProgram& program = context_.program;
    const bool drops_ones = DropsOnes(collective);
    const auto is_skipped = [&](InstructionId id) {
      if (program.opcode(id) == Opcode::kCopy) return true;
      return drops_ones && program.opcode(id) == Opcode::kReshape &&
             SizesWithoutOnes(program.shape(id)) ==
                 SizesWithoutOnes(program.shape(program.operand(id, 0)));
    };
    InstructionId id = program.operand(collective, 0);
    while (is_skipped(id)) id = program.operand(id, 0);
    return id;
  }

  // The parts of two collectives of one array that must be equal.
  absl::StatusOr<std::string> TextOf(InstructionId id) const {
    const hlo::Module& module = context_.program.module();
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context_.groups.Of(module, id));
    if (!DropsOnes(id)) {
      return absl::StrCat(module.shape_id(id), " ", context_.groups.Text(groups), " ",
                          module.FindAttribute(id, AttributeName::kDimensions).value_or(""));
    }
    const layout::Shape& shape = context_.program.shape(id);
    const absl::Span<const int64_t> parts =
        context_.program.shape(context_.program.operand(id, 0)).dims();
    const int64_t dim = CollectiveDimension(context_.program, id);
    const int64_t ones = absl::c_count(parts.first(static_cast<size_t>(dim)), 1);
    return absl::StrCat(absl::StrJoin(SizesWithoutOnes(shape), ","), " ",
                        context_.groups.Text(groups), " ", dim - ones);
  }

 private:
  bool DropsOnes(InstructionId id) const { return is_again_ && !IsPermute(context_.program, id); }

  Context& context_;
  const bool is_again_;
};

absl::Status MergeIn(Context& context, bool is_again, ComputationId c,
                     std::vector<int64_t>* of_instructions) {
  DeviceProgram& program = context.program;
  const std::vector<InstructionId> order = program.PostOrder(c);
  const auto is_merged = [&](InstructionId id) { return IsMerged(program, id); };
  const Sent sent(context, is_again);
  absl::flat_hash_set<InstructionId> known_arrays;
  const auto sends_again = [&](InstructionId id) {
    return is_merged(id) && !known_arrays.insert(sent.By(id)).second;
  };
  if (absl::c_none_of(order, sends_again)) return absl::OkStatus();
  const Heights heights(program, is_again, order, of_instructions);
  struct First {
    InstructionId collective;
    int64_t lowest_user;
  };
  absl::flat_hash_map<std::pair<InstructionId, std::string>, First> firsts;
  for (const InstructionId id : order) {
    if (!is_merged(id)) continue;
    TESSERA_ASSIGN_OR_RETURN(std::string text, sent.TextOf(id));
    const First own = {id, heights.OfLowestUser(id)};
    const auto [known, is_new] = firsts.try_emplace({sent.By(id), std::move(text)}, own);
    if (is_new) continue;
    First& first = known->second;
    if (!IsPermute(program, id) && first.lowest_user > heights.Of(id) + kFarthest) {
      first = own;
      continue;
    }
    first.lowest_user = std::min(first.lowest_user, own.lowest_user);
    const bool is_alike = program.shape(id).dims() == program.shape(first.collective).dims();
    program.ReplaceUses(
        id, is_alike ? first.collective : AddReshape(program, first.collective, program.shape(id)));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

absl::Status Merge(Context& context, bool is_again) {
  std::vector<int64_t> heights;  // no two computations share an instruction
  for (const ComputationId c : context.program.Computations()) {
    TESSERA_RETURN_IF_ERROR(MergeIn(context, is_again, c, &heights));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MergeNearGathers(Context& context) { return Merge(context, /*is_again=*/false); }

// On several slices the compiler left apart what would be near here.
absl::Status MergeNearGathersAgain(Context& context) {
  return context.target.slices > 1 ? absl::OkStatus() : Merge(context, /*is_again=*/true);
}

}  // namespace tessera::target
