#include "tessera/pipeline/verbs/costs/target/reshards_on_target.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {
namespace {

// The facts that a collective of the partitioner shares with its instruction. Those with equal keys
// are in the order of the instructions.
using Key = std::tuple<hlo::InstructionId, hlo::Opcode, layout::Shape>;

absl::flat_hash_map<Key, std::deque<hlo::InstructionId>> InstructionsOf(
    const sharding::partition::PartitionedModule& device) {
  absl::flat_hash_map<Key, std::deque<hlo::InstructionId>> made;
  for (hlo::InstructionId id = 0; id < device.causes.size(); ++id) {
    const hlo::Opcode opcode = device.module.instruction(id).opcode;
    if (!hlo::IsCollective(opcode)) continue;
    made[{device.causes[id], opcode, device.module.shape(id).WithoutLayout()}].push_back(id);
  }
  return made;
}

// A share of a final collective: so many of its bytes come from one reshard.
struct Share {
  const CollectiveLine* line = nullptr;
  std::string shape;  // of the array
  int64_t sent = 0;   // in one run
};

int64_t BytesOf(const CollectiveLine& line) {
  int64_t bytes = 0;
  for (const MadeByTarget::Part& part : line.target->parts) bytes += part.bytes;
  return bytes;
}

// `part` of `whole`, of `bytes`: no product leaves 64 bits.
int64_t Portion(int64_t bytes, double part, double whole) {
  return whole == 0 ? 0 : static_cast<int64_t>(static_cast<double>(bytes) * part / whole + 0.5);
}

using SharesByName = absl::flat_hash_map<std::string, std::vector<Share>>;

SharesByName SharesOf(absl::Span<const CollectiveLine> lines) {
  SharesByName shares;
  for (const CollectiveLine& line : lines) {
    const auto bytes = static_cast<double>(BytesOf(line));
    for (const MadeByTarget::Part& part : line.target->parts) {
      const double each =
          static_cast<double>(part.bytes) / static_cast<double>(part.sources.size());
      for (const std::string& source : part.sources) {
        shares[source].push_back({&line, part.shape, Portion(line.sent, each, bytes)});
      }
    }
  }
  return shares;
}

FinalCollective FinalOf(const Share& share) {
  FinalCollective made;
  made.op = share.line->op;
  made.shape = share.shape;
  made.axes = AxesText(*share.line);
  made.pass = share.line->target->pass;
  made.arrays = static_cast<int64_t>(share.line->target->parts.size());
  made.sent = share.sent;
  made.runs = share.line->runs;
  made.unknown_runs = share.line->unknown_runs;
  return made;
}

// Those that look alike are one entry.
void Add(const Share& share, ReshardOnTarget* target) {
  const FinalCollective made = FinalOf(share);
  target->total += made.sent * made.runs;
  const auto alike = absl::c_find_if(
      target->collectives, [&](const FinalCollective& other) { return other.LooksLike(made); });
  if (alike == target->collectives.end()) {
    target->collectives.push_back(made);
  } else {
    ++alike->alike;
  }
}

}  // namespace

std::vector<std::string> NamesOfCollectives(const PartitionedProgram& program) {
  auto made = InstructionsOf(program.device);
  std::vector<std::string> names;
  for (const sharding::partition::Collective& c : program.device.found.collectives) {
    std::string& name = names.emplace_back();
    const auto found = made.find(Key{c.cause, c.opcode, c.shape.WithoutLayout()});
    if (found == made.end() || found->second.empty()) continue;
    name = std::string(program.device.module.instruction(found->second.front()).name);
    found->second.pop_front();
  }
  return names;
}

void TakeFinal(absl::Span<const std::string> names, absl::Span<const CollectiveLine> final_lines,
               Reshards* reshards) {
  const SharesByName shares = SharesOf(final_lines);
  for (Reshard& reshard : reshards->list) {
    ReshardOnTarget& target = reshard.on_target.emplace();
    for (const int32_t number : reshard.numbers) {
      const auto found = shares.find(names[static_cast<size_t>(number)]);
      if (found == shares.end()) continue;
      for (const Share& share : found->second) Add(share, &target);
    }
  }
  absl::c_stable_sort(reshards->list, [](const Reshard& a, const Reshard& b) {
    return a.on_target->total > b.on_target->total;
  });
}

}  // namespace tessera::pipeline
