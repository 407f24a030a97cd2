#include "tessera/pipeline/verbs/costs/target/collective_readers.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/order.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Operations that only hand their operand on.
bool HandsOn(Opcode opcode) {
  constexpr Opcode kMoves[] = {
      Opcode::kBitcast,   Opcode::kConvert,         Opcode::kCopy,      Opcode::kReshape,
      Opcode::kTranspose, Opcode::kGetTupleElement, Opcode::kAllGather, Opcode::kOptBarrier,
  };
  return absl::c_linear_search(kMoves, opcode);
}

// The others have the line of what they add up or exchange.
bool Gathers(Opcode opcode) { return opcode == Opcode::kAllGather || opcode == Opcode::kAllToAll; }

class Readers {
 public:
  Readers(const hlo::Module& module, const SourceLocations& locations)
      : module_(module), locations_(locations) {}

  // kNoId: none has a line.
  InstructionId Of(InstructionId collective) {
    const hlo::UserMap& users = UsersIn(module_.instruction(collective).computation);
    absl::flat_hash_set<InstructionId> seen = {collective};
    std::vector<InstructionId> next = {collective};
    for (size_t k = 0; k < next.size(); ++k) {
      const auto found = users.find(next[k]);
      if (found == users.end()) continue;
      for (const InstructionId user : found->second) {
        if (!seen.insert(user).second) continue;
        if (HandsOn(module_.instruction(user).opcode)) {
          next.push_back(user);
        } else if (!locations_.UsersOwn(user).empty()) {
          return user;
        }
      }
    }
    return hlo::kNoId;
  }

 private:
  const hlo::UserMap& UsersIn(hlo::ComputationId id) {
    const auto [it, is_new] = users_.try_emplace(id);
    if (is_new) it->second = hlo::FindUsers(module_, id);
    return it->second;
  }

  const hlo::Module& module_;
  const SourceLocations& locations_;
  absl::flat_hash_map<hlo::ComputationId, hlo::UserMap> users_;
};

}  // namespace

void NameReaders(const hlo::Module& module, const SourceLocations& locations,
                 std::vector<CollectiveLine>* lines) {
  Readers readers(module, locations);
  for (CollectiveLine& line : *lines) {
    const bool is_of_several = line.target.has_value() && line.target->parts.size() > 1;
    if (!Gathers(line.made.opcode) || is_of_several) continue;
    const InstructionId reader = readers.Of(line.made.cause);
    if (reader == hlo::kNoId) continue;
    line.reader = std::string(module.instruction(reader).name);
    line.reader_location = locations.UsersOwn(reader);
    if (!line.location.empty()) continue;
    line.location = line.reader_location;
    if (line.op_name.empty()) line.op_name = hlo::GetOpName(module, reader);
  }
}

}  // namespace tessera::pipeline
