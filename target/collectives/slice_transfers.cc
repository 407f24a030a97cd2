#include "tessera/target/collectives/slice_transfers.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;
using sharding::partition::Collective;
using Group = std::vector<int64_t>;

constexpr char kType[] = "_xla_megascale_transfer_type";
constexpr char kTarget[] = "_xla_megascale_target";
constexpr char kReduction[] = "_xla_megascale_reduce_operation";
constexpr char kRendezvous[] = "_xla_host_transfer_rendezvous";

struct TransferType {
  absl::string_view text;
  Opcode opcode;
};
constexpr TransferType kTypes[] = {{"ALL_REDUCE", Opcode::kAllReduce},
                                   {"ALL_GATHER", Opcode::kAllGather},
                                   {"REDUCE_SCATTER", Opcode::kReduceScatter},
                                   {"ALL_TO_ALL", Opcode::kAllToAll}};

struct Reduction {
  absl::string_view text, opcode;
};
constexpr Reduction kReductions[] = {
    {"SUM", "add"}, {"PRODUCT", "multiply"}, {"MIN", "minimum"}, {"MAX", "maximum"}};

std::string ReductionOf(absl::string_view text) {
  for (const Reduction& known : kReductions) {
    if (known.text == text) return std::string(known.opcode);
  }
  return std::string(text);
}

Opcode OpcodeOf(absl::string_view type) {
  for (const TransferType& known : kTypes) {
    if (known.text == type) return known.opcode;
  }
  return Opcode::kCollectivePermute;
}

Group NumbersOf(absl::string_view text) {
  Group numbers;
  for (const absl::string_view one : absl::StrSplit(text, ',')) {
    int64_t number = 0;
    if (absl::SimpleAtoi(one, &number)) numbers.push_back(number);
  }
  return numbers;
}

// Numbers of devices, by how many a slice has. Slices count from 1.
class Devices {
 public:
  explicit Devices(int64_t in_slice) : in_slice_(in_slice) {}

  // {1,2}x{0:7} or {{100000,200000},{100001,200001}}
  std::vector<Group> GroupsOf(re2::StringPiece text) const {
    std::vector<Group> groups;
    std::string slices, chips;
    int64_t first = 0, last = -1;
    if (RE2::FullMatch(text, R"(\{([\d,]+)\}x\{(\d+):(\d+)\})", &slices, &first, &last)) {
      for (int64_t k = first; k <= last && k < in_slice_; ++k) {
        groups.emplace_back();
        for (const int64_t slice : NumbersOf(slices)) groups.back().push_back(Number(slice, k));
      }
      return groups;
    }
    while (RE2::FindAndConsume(&text, R"(\{([\d,]+)\})", &chips)) {
      groups.emplace_back();
      for (const int64_t chip : NumbersOf(chips)) groups.back().push_back(OfChip(chip));
    }
    return groups;
  }

  // {{100000->200000},{200000->100000}}
  std::vector<std::pair<int64_t, int64_t>> PairsOf(re2::StringPiece text) const {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    int64_t from = 0, to = 0;
    while (RE2::FindAndConsume(&text, R"(\{(\d+)->(\d+)\})", &from, &to)) {
      pairs.emplace_back(OfChip(from), OfChip(to));
    }
    return pairs;
  }

 private:
  int64_t Number(int64_t slice, int64_t k) const { return (slice - 1) * in_slice_ + k; }
  int64_t OfChip(int64_t chip) const { return Number(chip / kChips, chip % kChips); }

  static constexpr int64_t kChips = 100000;
  const int64_t in_slice_;
};

std::string TextOf(const hlo::Module& module, InstructionId id, const char* attribute) {
  return hlo::GetFrontendAttribute(module, id, attribute).value_or(std::string());
}

// What is moved, of a send or a receive.
Shape Moved(const hlo::Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  return shape.is_tuple() ? Shape(shape.tuple_elements()[0]) : shape;
}

}  // namespace

SliceTransfers::SliceTransfers(const hlo::Module& module) : module_(module) {
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kRecvDone) done_.emplace(module.operands(id)[0], id);
    if (opcode != Opcode::kRecv) continue;
    receives_.emplace(TextOf(module, id, kRendezvous), id);
  }
}

bool IsSliceTransfer(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kSend && !TextOf(module, id, kType).empty();
}

InstructionId SliceTransfers::ReceiveOf(InstructionId send) const {
  const auto receive = receives_.find(TextOf(module_, send, kRendezvous));
  return receive == receives_.end() ? hlo::kNoId : receive->second;
}

InstructionId SliceTransfers::DoneOf(InstructionId send) const {
  const auto done = done_.find(ReceiveOf(send));
  return done == done_.end() ? hlo::kNoId : done->second;
}

Collective SliceTransfers::Read(InstructionId send) const {
  Collective c;
  c.opcode = OpcodeOf(TextOf(module_, send, kType));
  const InstructionId receive = ReceiveOf(send);
  c.shape = Moved(module_, receive == hlo::kNoId ? send : receive);
  c.operands = {Moved(module_, send)};
  const auto& header = module_.header();
  const Devices devices(header.num_partitions * header.replica_count);
  const std::string target = TextOf(module_, send, kTarget);
  if (c.opcode == Opcode::kCollectivePermute) {
    c.pairs = devices.PairsOf(target);
  } else {
    c.groups = devices.GroupsOf(target);
  }
  c.reduction = ReductionOf(TextOf(module_, send, kReduction));
  c.cause = c.named = send;
  c.producer = module_.operands(send)[0];
  return c;
}

}  // namespace tessera::target
