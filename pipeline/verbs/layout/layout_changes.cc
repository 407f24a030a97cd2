#include "tessera/pipeline/verbs/layout/layout_changes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/cost/schedule/stated_time.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/layout/layout_fixes.h"
#include "tessera/text/checked.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

// The same array in another order or in other tiles.
bool IsRelaid(const Shape& a, const Shape& b) {
  if (!a.is_array() || !b.is_array() || !a.has_layout() || !b.has_layout()) return false;
  return a.layout().minor_to_major != b.layout().minor_to_major ||
         a.layout().tiles != b.layout().tiles;
}

// Whether a copy, transpose or bitcast puts the array in another order or in other tiles.
bool ChangesLayout(const hlo::Module& module, InstructionId id) {
  const Shape& from = module.shape(module.operands(id)[0]);
  const Shape& to = module.shape(id);
  if (module.instruction(id).opcode != Opcode::kTranspose) {
    return from.dims() == to.dims() && IsRelaid(from, to);  // a bitcast may be a reshape
  }
  if (!from.is_array() || !from.has_layout() || !to.has_layout()) return false;
  const auto source = hlo::GetInts(module, id, hlo::AttributeName::kDimensions);
  if (!source) return false;
  layout::Layout moved = to.layout();
  for (int64_t& dim : moved.minor_to_major) dim = (*source)[static_cast<size_t>(dim)];
  return moved.minor_to_major != from.layout().minor_to_major || moved.tiles != from.layout().tiles;
}

// These compute nothing with an array.
constexpr Opcode kHandOn[] = {Opcode::kBitcast,  Opcode::kCopy,  Opcode::kCopyStart,
                              Opcode::kCopyDone, Opcode::kTuple, Opcode::kGetTupleElement,
                              Opcode::kReshape};
constexpr int kLongestChain = 8;

class ChangeFinder {
 public:
  explicit ChangeFinder(const hlo::Module& module) : module_(module), locations_(module) {}

  // Fusions stand for what is in them.
  std::vector<answers::ProgramLayoutChange> Run() {
    std::vector<bool> is_fused(module_.num_computations());
    for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
      if (module_.instruction(id).opcode != Opcode::kFusion) continue;
      for (const hlo::ComputationId c : module_.called(id)) is_fused[c] = true;
    }
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (module_.computation(c).removed || is_fused[c]) continue;
      const size_t before = changes_.size();
      for (const InstructionId id : module_.computation(c).instructions) AddChange(id, id);
      if (changes_.size() > before) AddUsers(c, before);
    }
    absl::c_stable_sort(changes_, [](const Found& a, const Found& b) {
      return a.change.bytes() > b.change.bytes();
    });
    std::vector<answers::ProgramLayoutChange> changes;
    for (Found& found : changes_) changes.push_back(std::move(found.change));
    return changes;
  }

 private:
  // `id` as an instruction of the schedule, or in one of it that is a fusion.
  bool AddChange(InstructionId id, InstructionId named) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kFusion && id == named) return AddFusion(id);
    const bool is_one = opcode == Opcode::kCopy || opcode == Opcode::kTranspose ||
                        (opcode == Opcode::kBitcast && id == named);
    if (!is_one || !ChangesLayout(module_, id)) return false;
    const Shape& from = module_.shape(module_.operands(id)[0]);
    const Shape& to = module_.shape(id);
    answers::ProgramLayoutChange& change = changes_.emplace_back(Found{named, {}}).change;
    change.set_name(std::string(module_.instruction(named).name));
    change.set_opcode(std::string(hlo::OpcodeName(module_.instruction(named).opcode)));
    change.set_from(layout::ShapeToString(from));
    change.set_to(layout::ShapeToString(to));
    const bool moves = opcode != Opcode::kBitcast;
    change.set_bytes(moves ? BytesOf(from, to) : 0);
    const auto cycles = moves ? cost::StatedCycles(module_, named) : std::nullopt;
    if (cycles.has_value()) change.set_cycles(*cycles);
    const bool is_of_argument =
        opcode == Opcode::kCopy && id == named && IsArgument(module_.operands(id)[0]);
    const auto better = is_of_argument ? FixAs(to) : std::nullopt;
    if (better.has_value()) *change.mutable_better() = *better;
    change.set_op_name(hlo::GetOpName(module_, named));
    change.set_location(locations_.UsersOwn(named));
    return true;
  }

  // By the first of the copies and transposes in it.
  bool AddFusion(InstructionId fusion) {
    for (const hlo::ComputationId c : module_.called(fusion)) {
      for (const InstructionId id : module_.computation(c).instructions) {
        if (AddChange(id, fusion)) return true;
      }
    }
    return false;
  }

  bool IsArgument(InstructionId id) const {
    const hlo::Instruction& i = module_.instruction(id);
    return i.opcode == Opcode::kParameter && i.computation == module_.entry_id();
  }

  static int64_t BytesOf(const Shape& from, const Shape& to) {
    Checked sum = 0;
    for (const Shape* shape : {&from, &to}) {
      const auto sizes = layout::SizesOf(*shape);
      if (sizes.ok()) sum += sizes->alloc_bytes;
    }
    return sum.value();
  }

  void AddUsers(hlo::ComputationId c, size_t first) {
    const hlo::UserMap users = hlo::FindUsers(module_, c);
    for (size_t k = first; k < changes_.size(); ++k) {
      const auto it = users.find(changes_[k].id);
      if (it == users.end()) continue;
      for (const InstructionId user : it->second) {
        changes_[k].change.add_users(std::string(module_.instruction(user).name));
      }
      AddChain(it->second.front(), users, &changes_[k].change);
    }
  }

  void AddChain(InstructionId user, const hlo::UserMap& users,
                answers::ProgramLayoutChange* change) {
    while (change->chain_size() < kLongestChain) {
      change->add_chain(std::string(module_.instruction(user).name));
      const auto next = users.find(user);
      const bool hands_on = absl::c_linear_search(kHandOn, module_.instruction(user).opcode);
      if (!hands_on || next == users.end()) return;
      user = next->second.front();
    }
  }

  struct Found {
    InstructionId id;
    answers::ProgramLayoutChange change;
  };

  const hlo::Module& module_;
  const SourceLocations locations_;
  std::vector<Found> changes_;
};

}  // namespace

std::vector<answers::ProgramLayoutChange> FindLayoutChanges(const hlo::Module& module) {
  return ChangeFinder(module).Run();
}

}  // namespace tessera::pipeline
