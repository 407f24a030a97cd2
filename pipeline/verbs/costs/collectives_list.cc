#include "tessera/pipeline/verbs/costs/collectives_list.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/payload.h"
#include "tessera/cost/step/loop_runs.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/process/large_stack.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/added_results.h"
#include "tessera/pipeline/verbs/costs/input/array_names.h"
#include "tessera/projection/core/error.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/partition/device_axes.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::partition::Body;
using sharding::partition::Collective;
using sharding::partition::Partitioned;

std::string ShapeText(const layout::Shape& shape) {
  return layout::ShapeToString(shape, {/*layout=*/false, /*tuple_index_comments=*/false});
}

absl::StatusOr<int64_t> Sent(const std::optional<cost::Payload>& payload) {
  return payload.has_value() ? cost::SentBytes(*payload) : 0;
}

// A line is large, and is moved once.
void SortByTotal(std::vector<CollectiveLine>* lines) {
  std::vector<std::pair<int64_t, size_t>> order;
  order.reserve(lines->size());
  for (size_t i = 0; i < lines->size(); ++i) order.emplace_back((*lines)[i].total(), i);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CollectiveLine> sorted;
  sorted.reserve(lines->size());
  for (const auto& [total, i] : order) sorted.push_back(std::move((*lines)[i]));
  *lines = std::move(sorted);
}

const char* KindOf(Body::Role role) {
  switch (role) {
    case Body::Role::kBranch:
      return "branch";
    case Body::Role::kCall:
      return "call";
    case Body::Role::kCondition:
      return "condition";
    default:
      return "loop";
  }
}

class Lister {
 public:
  Lister(const PartitionerInput& input, const Partitioned& found)
      : input_(input),
        module_(input.module),
        mesh_(input.mesh),
        found_(found),
        locations_(module_),
        loop_runs_(module_, found),
        names_(input) {}

  absl::StatusOr<CollectiveLine> LineOf(const Collective& c) {
    CollectiveLine line;
    line.op = std::string(hlo::OpcodeName(c.opcode));
    line.shape = ShapeText(c.shape);
    for (const layout::Shape& operand : c.operands) line.operands.push_back(ShapeText(operand));
    line.over = WordsOf(c);
    if (!c.groups.empty()) line.group_size = static_cast<int64_t>(c.groups[0].size());
    line.dimensions = c.dimensions;
    line.reduction = c.reduction;
    TESSERA_RETURN_IF_ERROR(AddNesting(c.body, &line));
    TESSERA_ASSIGN_OR_RETURN(line.sent, Sent(cost::PayloadOf(c)));
    if (c.cause != hlo::kNoId) {
      line.consumer = IsAddedResult(input_, c.cause) ? NameOfResult(input_, c.cause, c.producer)
                                                     : names_.Of(c.cause);
      line.op_name = hlo::GetOpName(module_, c.cause);
      line.location = locations_.UsersOwn(c.cause);
    }
    if (c.producer != hlo::kNoId) {
      line.producer = names_.Of(SourceOfResult(input_, c.producer));
      if (line.op_name.empty()) line.op_name = hlo::GetOpName(module_, c.producer);
      if (line.location.empty()) line.location = locations_.UsersOwn(c.producer);
    }
    line.given = c.given;
    line.made = c;
    return line;
  }

 private:
  std::shared_ptr<const DeviceWords> WordsOf(const Collective& c) {
    const bool is_sum = c.opcode == hlo::Opcode::kAllReduce;
    auto& words = words_[{c.groups.identity(), c.pairs.identity(), is_sum}];
    if (words == nullptr) words = std::make_shared<const DeviceWords>(MakeWords(c));
    return words;
  }

  DeviceWords MakeWords(const Collective& c) const {
    DeviceWords words;
    words.devices = c.groups.empty() ? sharding::partition::PairsText(c.pairs)
                                     : sharding::partition::GroupsText(c.groups);
    if (!mesh_.has_value()) return words;
    words.axes = AxesOf(c);
    if (!words.axes.has_value()) return words;
    for (const sharding::AxisRef axis : *words.axes) {
      words.axis_names.push_back(sharding::ShortAxisText(axis, *mesh_));
    }
    words.axes_text = words.axes->empty() ? "one device" : absl::StrJoin(words.axis_names, ",");
    return words;
  }

  std::optional<sharding::AxisList> AxesOf(const Collective& c) const {
    if (c.groups.empty()) return sharding::partition::AxesOfPairs(c.pairs, *mesh_);
    if (c.opcode != hlo::Opcode::kAllReduce) {
      return sharding::partition::AxesOfGroups(c.groups, *mesh_);
    }
    auto groups = c.groups.list();  // the order of the devices means nothing to a sum
    for (auto& group : groups) std::sort(group.begin(), group.end());
    return sharding::partition::AxesOfGroups(groups, *mesh_);
  }

  absl::Status AddNesting(int32_t index, CollectiveLine* line) {
    TESSERA_ASSIGN_OR_RETURN(const auto count, loop_runs_.Of(index));
    line->runs = count.runs;
    line->unknown_runs = !count.known;
    while (index > 0) {
      const Body& body = found_.bodies[static_cast<size_t>(index)];
      CollectiveLevel level = {KindOf(body.role), names_.Of(body.caller), std::nullopt};
      if (cost::IsInLoop(body)) level.runs = loop_runs_.PerCall(body);
      line->nesting.insert(line->nesting.begin(), std::move(level));
      index = body.parent;
    }
    return absl::OkStatus();
  }

  const PartitionerInput& input_;
  const hlo::Module& module_;
  const std::optional<sharding::Mesh>& mesh_;
  const Partitioned& found_;
  const SourceLocations locations_;
  cost::LoopRuns loop_runs_;
  TensorNames names_;
  // By groups and pairs, each known by its address, and whether their order means nothing.
  absl::flat_hash_map<std::tuple<const void*, const void*, bool>,
                      std::shared_ptr<const DeviceWords>>
      words_;
};

}  // namespace

// The partitioner takes 4 KB of stack a level. Another thread has a heap of its own, which costs a
// large module 3 % of its time, so that few get one.
void OnStackFor(const hlo::Module& module, const std::function<void()>& work) {
  constexpr int kShallow = 200;
  hlo::NestsDeeper(module, kShallow) ? OnLargeStack(work) : work();
}

int64_t TotalSent(const std::vector<CollectiveLine>& lines) {
  int64_t sum = 0;
  for (const CollectiveLine& line : lines) sum += line.total();
  return sum;
}

absl::StatusOr<std::vector<CollectiveLine>> ListCollectives(const PartitionerInput& input) {
  absl::StatusOr<Partitioned> found;
  OnStackFor(input.module,
             [&] { found = sharding::partition::FindCollectives(input.module, input.behaviors); });
  if (!found.ok()) return LocatedInInput(found.status(), input);
  return ListCollectives(input, *found);
}

absl::StatusOr<std::vector<CollectiveLine>> ListCollectives(const PartitionerInput& input,
                                                            const Partitioned& found) {
  Lister lister(input, found);
  std::vector<CollectiveLine> lines;
  lines.reserve(found.collectives.size());
  Checked sent = 0;
  for (const Collective& c : found.collectives) {
    absl::StatusOr<CollectiveLine> line = lister.LineOf(c);
    if (!line.ok()) return LocatedInInput(line.status(), input);
    sent += Checked(line->sent) * line->runs;
    line->number = static_cast<int32_t>(lines.size());
    lines.push_back(*std::move(line));
  }
  if (!sent.ok()) return projection::OverflowError("the sum of what all collectives send");
  SortByTotal(&lines);
  return lines;
}

absl::Status TakeSentOn(const cost::Machine& machine, std::vector<CollectiveLine>* lines) {
  for (CollectiveLine& line : *lines) {
    const auto payload = cost::PayloadOn(line.made, machine);
    TESSERA_ASSIGN_OR_RETURN(line.sent, Sent(payload));
    line.switch_adds = payload.has_value() && payload->switch_adds;
  }
  SortByTotal(lines);
  return absl::OkStatus();
}

std::string NoteOnSwitch(const std::vector<CollectiveLine>& lines) {
  const auto count =
      absl::c_count_if(lines, [](const CollectiveLine& line) { return line.switch_adds; });
  if (count == 0) return "";
  return absl::StrCat("note: ", count, count == 1 ? " all-reduce is" : " all-reduces are",
                      " added in the switch (NVLink SHARP, NCCL's NVLS), so a device sends each "
                      "array once; without it almost twice as much (docs/reshards.md)\n");
}

}  // namespace tessera::pipeline
