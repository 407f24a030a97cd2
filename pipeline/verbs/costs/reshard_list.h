// The reshards of a module as a user sees them: which value moves, from which sharding to which, on
// whose behalf, by which collectives, and what that sends.
//
//   const Reshards reshards = ListReshards(input, *ListCollectives(input, found));
//   reshards.list[0].from, .to      // "P('data', 'model')", "P(None, 'model')": what sends most
//
// With a reshard, the partitioner brings a value to where an instruction needs it: it gathers,
// exchanges dimensions, or sends shards to other devices.
//
//   explicit   the program asks for it: a constraint that differs from what it constrains
//   implied    an instruction cannot work on its operand as it lies
//   result     an instruction makes its result otherwise than it shall lie
//   border     a loop, a branch or the end of the program wants the value otherwise
//
// Sums of partial results, exchanges of edges of tiles, and the program's own collectives are no
// reshards: no sharding changes there; they are counted as others. A cut that every device makes of
// its own part sends nothing, and is not in the list; a copy that changes no sharding even less.
//
// Reshards that look alike (kind, shape, shardings, operation, line) are one entry. Cost: linear in
// the collectives. Tested by reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_RESHARD_LIST_H_
#define TESSERA_PIPELINE_VERBS_COSTS_RESHARD_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

enum class ReshardKind : uint8_t { kExplicit, kImplied, kResult, kBorder };

const char* KindText(ReshardKind kind);

// Whose value moves and who wants it: instructions of what was propagated (of the module itself
// where that is taken as it is); kNoId for what was inserted, and for results of computations.
struct ReshardEnds {
  hlo::InstructionId producer = hlo::kNoId, consumer = hlo::kNoId;

  friend bool operator==(const ReshardEnds& a, const ReshardEnds& b) {
    return a.producer == b.producer && a.consumer == b.consumer;
  }
};

// An array of a collective that a target finally runs, as far as it comes from a reshard.
struct FinalCollective {
  std::string op, shape, axes;  // shape: of the array, per device
  std::string pass;             // that made the collective; empty: the partitioner
  int64_t arrays = 1;           // of the collective, those of other reshards too
  int64_t sent = 0;             // bytes by each device, once: this reshard's share
  int64_t runs = 1;
  bool unknown_runs = false;
  int64_t alike = 1;

  bool LooksLike(const FinalCollective& other) const {
    const auto looks = [](const FinalCollective& c) {
      return std::tie(c.op, c.shape, c.axes, c.pass, c.arrays, c.sent, c.runs, c.unknown_runs);
    };
    return looks(*this) == looks(other);
  }
};

struct ReshardOnTarget {
  std::vector<FinalCollective> collectives;
  int64_t total = 0;  // bytes of all, in all runs
};

struct Reshard {
  ReshardKind kind = ReshardKind::kImplied;
  std::string value;              // its name: the path of an argument, else the instruction
  std::string consumer;           // empty: the result of a computation
  std::string shape;              // of the whole value
  std::string from, to;           // "P('data', None)"; "" where it cannot be said
  std::string op_name, location;  // of the consumer, else of the value
  std::string library_location;   // the library's line that the user's own leads to, if any
  std::vector<CollectiveLine> collectives;  // of one of those alike
  int64_t sent = 0;                         // bytes by each device, once, of one of those alike
  int64_t total = 0;                        // of all, in all runs
  bool unknown_runs = false;                // some loop was counted once
  // Bytes of the array that each device holds on the way, as no direct way is known; 0: a direct way.
  int64_t rematerialized = 0;
  std::vector<ReshardEnds> ends;  // one for each that is alike
  std::vector<int32_t> numbers;   // CollectiveLine::number, of all that are alike
  std::optional<ReshardOnTarget> on_target;
};

struct Reshards {
  std::vector<Reshard> list;            // by total, descending
  int64_t sent = 0;                     // by the reshards, in all runs
  int64_t others = 0, others_sent = 0;  // collectives that are no reshards
};

// Of the collectives that ListCollectives() found in `input`.
Reshards ListReshards(const PartitionerInput& input, std::vector<CollectiveLine> lines);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_RESHARD_LIST_H_
