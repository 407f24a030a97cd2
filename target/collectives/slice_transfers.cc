#include "tessera/target/collectives/slice_transfers.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/reshard/given_groups.h"
#include "tessera/text/diagnostic.h"

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

// Numbers of devices, by how many a slice has. Slices count from 1.
class Devices {
 public:
  explicit Devices(int64_t in_slice) : in_slice_(in_slice) {}

  // {1,2}x{0:7} or {{100000,200000},{100001,200001}}
  std::vector<Group> GroupsOf(re2::StringPiece text) {
    std::vector<Group> groups;
    std::string slices, chips;
    int64_t first = 0, last = -1;
    if (RE2::FullMatch(text, R"(\{([\d,]+)\}x\{(\d+):(\d+)\})", &slices, &first, &last)) {
      for (int64_t k = first; k <= last && are_known_; ++k) {
        groups.emplace_back();
        for (const absl::string_view slice : absl::StrSplit(slices, ',')) {
          groups.back().push_back(Number(NumberIn(slice), k));
        }
      }
      return groups;
    }
    while (are_known_ && RE2::FindAndConsume(&text, R"(\{([\d,]+)\})", &chips)) {
      groups.emplace_back();
      for (const absl::string_view chip : absl::StrSplit(chips, ',')) {
        groups.back().push_back(OfChip(NumberIn(chip)));
      }
    }
    return groups;
  }

  // {{100000->200000},{200000->100000}}
  std::vector<std::pair<int64_t, int64_t>> PairsOf(re2::StringPiece text) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    std::string from, to;
    while (are_known_ && RE2::FindAndConsume(&text, R"(\{(\d+)->(\d+)\})", &from, &to)) {
      pairs.emplace_back(OfChip(NumberIn(from)), OfChip(NumberIn(to)));
    }
    return pairs;
  }

  // Whether all were devices of a slice, and not too many.
  bool are_known() const { return are_known_; }

 private:
  // -1 beyond 64 bits.
  static int64_t NumberIn(absl::string_view text) {
    int64_t number = 0;
    return absl::SimpleAtoi(text, &number) ? number : -1;
  }

  int64_t Number(int64_t slice, int64_t k) {
    are_known_ = are_known_ && ++listed_ <= kMost && slice >= 1 && slice <= kMost && k >= 0 &&
                 k < in_slice_ && in_slice_ <= kMost;
    return are_known_ ? (slice - 1) * in_slice_ + k : 0;
  }
  int64_t OfChip(int64_t chip) { return Number(chip / kChips, chip % kChips); }

  static constexpr int64_t kChips = 100000;
  static constexpr int64_t kMost = sharding::partition::GivenGroups::kMostListed;
  const int64_t in_slice_;
  int64_t listed_ = 0;
  bool are_known_ = true;
};

std::string TextOf(const hlo::Module& module, InstructionId id, const char* attribute) {
  return hlo::GetFrontendAttribute(module, id, attribute).value_or(std::string());
}

// The array that a send or a receive moves.
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

absl::StatusOr<Collective> SliceTransfers::Read(InstructionId send) const {
  Collective c;
  c.opcode = OpcodeOf(TextOf(module_, send, kType));
  const InstructionId receive = ReceiveOf(send);
  c.shape = Moved(module_, receive == hlo::kNoId ? send : receive);
  c.operands = {Moved(module_, send)};
  const auto& header = module_.header();
  Devices devices(header.num_partitions * header.replica_count);
  const std::string target = TextOf(module_, send, kTarget);
  if (c.opcode == Opcode::kCollectivePermute) {
    c.pairs = devices.PairsOf(target);
  } else {
    c.groups = devices.GroupsOf(target);
  }
  if (!devices.are_known()) {
    return text::ErrorAt(module_.instruction(send).source.begin,
                         absl::StrCat(kTarget, " names devices that no slice has, or more than ",
                                      sharding::partition::GivenGroups::kMostListed));
  }
  c.reduction = ReductionOf(TextOf(module_, send, kReduction));
  c.cause = c.named = send;
  c.producer = module_.operands(send)[0];
  return c;
}

}  // namespace tessera::target
