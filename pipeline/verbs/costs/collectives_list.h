// The collectives of a module as a user wants to see them: what each costs, along which axes it
// runs, how often, and whose line asked for it.
//
//   absl::StatusOr<std::vector<CollectiveLine>> lines = ListCollectives(input);
//   lines->front().sent;     // the one that sends most

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_LIST_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_LIST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/cost/network/machine.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// A loop, branch or call around a collective.
struct CollectiveLevel {
  std::string kind;  // loop, condition, branch, call
  std::string instruction;
  std::optional<int64_t> runs;  // of a loop, where it is known
};

// The collectives that a target's compiler made of the partitioner's.
struct MadeByTarget {
  // An array of the collective, and the instructions of the partitioned module that moved it.
  struct Part {
    std::string shape;
    std::vector<std::string> sources;
    std::vector<std::string> locations;  // of the sources, file:line, each once
    std::vector<std::string> op_names;   // of the sources
    int64_t bytes = 0;                   // of the array on a device
  };
  std::vector<Part> parts;
  std::string pass;  // that made it; empty: the partitioner
};

// How a collective of a module of one device runs, and what the schedule puts between its start and
// its done (target/collectives/standing.h).
struct InSchedule {
  std::string form;  // "synchronous", "asynchronous", ..; empty in front of the schedule
  bool synchronous = true;
  std::string begin, end;  // instructions; no end where it is not in the computation of the start
  int64_t instructions = 0, products = 0, collectives = 0;  // between them
};

// The devices of a collective in words. Collectives with the same lists of devices share it: the
// pairs of a permute among 512 devices are 5 KB.
struct DeviceWords {
  std::string devices;                     // groups, or source-target pairs of a permute
  std::optional<sharding::AxisList> axes;  // of the mesh; none if they cannot be said so
  std::vector<std::string> axis_names;     // of these: "data", "model:(1)2"
  std::string axes_text;                   // "data,model:(1)2", "one device"; empty without axes
};

struct CollectiveLine {
  std::string op;
  std::string shape;                        // of the result, per device
  std::vector<std::string> operands;        // per device
  std::shared_ptr<const DeviceWords> over;  // never null
  int64_t group_size = 0;                   // 0 for a permute
  std::vector<int64_t> dimensions;
  std::string reduction;
  std::vector<CollectiveLevel> nesting;  // outermost first
  int64_t sent = 0;                      // bytes by each device, once
  bool switch_adds = false;              // as of cost::Payload, after TakeSentOn()
  int64_t runs = 1;                      // product over the nesting
  bool unknown_runs = false;             // some loop was counted once
  std::string consumer;  // the instruction that asked; empty: the result of a computation
  std::string producer;  // whose value is moved
  std::string reader,
      reader_location;  // of what a gather moves on a target (costs/target/collective_readers.h)
  std::string op_name, location;         // of the consumer; where it has none, of the producer
  bool given = false;                    // the user's own
  sharding::partition::Collective made;  // as it was found
  int32_t number = 0;                    // in the order in which they are made
  std::optional<MadeByTarget> target;    // of a module that is partitioned; none of any other
  std::optional<InSchedule> schedule;    // of one that stands in a module of one device

  int64_t total() const { return sent * runs; }  // ListCollectives checks that it fits
};

// By each device, in bytes.
int64_t TotalSent(const std::vector<CollectiveLine>& lines);

// In descending order of total(). Errors as of partition::FindCollectives, with file, line and
// caret; OutOfRange if the bytes of all lines together do not fit in 64 bits.
absl::StatusOr<std::vector<CollectiveLine>> ListCollectives(const PartitionerInput& input);
// The same of collectives that are found already.
absl::StatusOr<std::vector<CollectiveLine>> ListCollectives(
    const PartitionerInput& input, const sharding::partition::Partitioned& found);

// `sent` of each line as the links of this machine have it (cost::PayloadOn), and the order by it. kOverflow.
absl::Status TakeSentOn(const cost::Machine& machine, std::vector<CollectiveLine>* lines);
// Counts the lines that a switch adds, and says what that means; empty if there are none.
std::string NoteOnSwitch(const std::vector<CollectiveLine>& lines);

// Runs the partitioner where there is stack enough for what the module nests.
void OnStackFor(const hlo::Module& module, const std::function<void()>& work);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_LIST_H_
