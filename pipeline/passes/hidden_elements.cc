// A module that comes from StableHLO has a get-tuple-element for each result of a loop or branch.
// A compact text leaves out the unread ones. Yet XLA's post-order starts from them, too, as from
// everything without users:
//
//   %n = negate(%p)
//   %loop = (s32[], f32[8]) while(%start)             // %loop#0 is not read: the order starts here
//   %m = exponential(%n)                              // and comes to the result last
//   ROOT %t = (f32[8], f32[8]) tuple(%m, %loop#1)
//
// As long as a text stays as it is, its lines tell the order (ProgramOrder in hlo/order.h). Once a
// pass has added instructions the order is found anew, and needs these elements: without them %m
// would come before %loop. So every tuple with an unread element gets one, right after it, if the
// order found without them differs from the lines.
//
// Linear. Tested by passes_test.cc.

#include "tessera/pipeline/passes/hidden_elements.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;

using Element = std::pair<InstructionId, int64_t>;

absl::flat_hash_set<Element> ReadElements(const hlo::Module& module, const hlo::Computation& c) {
  absl::flat_hash_set<Element> read;
  for (InstructionId id : c.instructions) {
    if (module.instruction(id).opcode != Opcode::kGetTupleElement) continue;
    read.insert({module.operands(id)[0], hlo::GetTupleIndex(module, id)});
  }
  return read;
}

// Zero-sized elements are left to the pass that is about them.
std::optional<int64_t> FirstUnread(const hlo::Module& module, InstructionId id,
                                   const absl::flat_hash_set<Element>& read) {
  const Opcode opcode = module.instruction(id).opcode;
  if (!module.shape(id).is_tuple() || opcode == Opcode::kTuple) return std::nullopt;
  const auto elements = module.shape(id).tuple_elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_empty = elements[i].is_array() && elements[i].NumElements() == 0;
    if (!is_empty && !read.contains({id, static_cast<int64_t>(i)})) return i;
  }
  return std::nullopt;
}

void AddTo(hlo::Builder* builder, ComputationId c) {
  hlo::Module& module = builder->module();
  const absl::flat_hash_set<Element> read = ReadElements(module, module.computation(c));
  const std::vector<InstructionId> lines = module.computation(c).instructions;
  std::vector<InstructionId> all;
  for (InstructionId id : lines) {
    all.push_back(id);
    const std::optional<int64_t> index = FirstUnread(module, id, read);
    if (!index.has_value()) continue;
    const std::string name = absl::StrCat(module.instruction(id).name, ".unread");
    all.push_back(builder->AddGetTupleElement(c, name, id, *index));
  }
  module.mutable_computation(c).instructions = std::move(all);
}

}  // namespace

bool HasNoElementLines(const hlo::Module& module) {
  bool compact = false;
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const hlo::Instruction& i = module.instruction(id);
    if (i.opcode != Opcode::kGetTupleElement || i.is_root) continue;
    if (!i.is_implied) return false;
    compact = true;
  }
  return compact;
}

void AddHiddenElements(hlo::Builder* builder) {
  const hlo::Module& module = builder->module();
  if (!HasNoElementLines(module)) return;
  const ComputationId n = module.num_computations();
  for (ComputationId c = 0; c < n; ++c) {
    const hlo::Computation& computation = module.computation(c);
    if (computation.removed || !computation.names_elements) continue;
    if (hlo::PostOrder(module, c) != hlo::ProgramOrder(module, c)) AddTo(builder, c);
  }
}

}  // namespace tessera::pipeline::passes
