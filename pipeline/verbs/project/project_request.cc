#include "tessera/pipeline/verbs/project/project_request.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/verbs/project/project_device.h"
#include "tessera/pipeline/verbs/project/project_parse.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/draw/operation_picture.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Signature;
using projection::ZRange;

// --- The four questions --------------------------------------------------------------------------

// Parts and, with --memory, the bytes that one may take.
absl::Status AnswerBest(const ArrayRef& of, const Arguments& arguments, ProjectAnswer* answer) {
  int64_t parts;
  projection::CutLimits limits;
  if (!absl::SimpleAtoi(arguments.Get("best"), &parts) || parts < 1 || parts > kMaxParts)
    return BadFlag("best", arguments.Get("best"), absl::StrCat("a number from 1 to ", kMaxParts));
  if (arguments.Has("memory")) {
    TESSERA_ASSIGN_OR_RETURN(limits.memory, ReadBytes(arguments, "memory"));
  }
  TESSERA_ASSIGN_OR_RETURN(const Signature split, of.SignatureOf(/*split=*/true));
  for (const projection::Axis& axis : split.axes) answer->axes.push_back(axis.name);
  TESSERA_ASSIGN_OR_RETURN(answer->cuts,
                           projection::ChooseCuts(split, ElementBytesOf(of, split), parts, limits));
  if (answer->cuts.empty())
    return absl::NotFoundError(absl::StrCat(
        "--best=", parts, ": no cut into ", parts, " parts fits: its axes are too short",
        arguments.Has("memory") ? ", or --memory is too small" : ""));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SharedOperand>> SharedBy(const ArrayRef& of,
                                                    const projection::ShardPlan& plan) {
  std::vector<SharedOperand> out;
  const auto parts = static_cast<size_t>(
      std::count_if(plan.shards.begin(), plan.shards.end(),
                    [](const projection::Shard& shard) { return !shard.index.empty(); }));
  const std::vector<Entry> entries = EntriesOf(of);
  for (size_t k = 0; k < entries.size(); ++k) {
    SharedOperand o;
    o.name = entries[k].name;
    o.shape = projection::ZPoint(entries[k].shape->dims());
    o.element_bytes = layout::ElementBytes(*entries[k].shape, 1);
    absl::StatusOr<std::vector<projection::Fragment>> fragments =
        projection::FragmentsOf(plan, static_cast<int>(k));
    if (projection::ErrorCodeOf(fragments.status()) == projection::ErrorCode::kTooLarge) continue;
    TESSERA_ASSIGN_OR_RETURN(o.fragments, std::move(fragments));
    for (const projection::Fragment& f : o.fragments) {
      TESSERA_ASSIGN_OR_RETURN(const int64_t cells, f.cells.size());
      int64_t& sum = f.readers.size() == 1      ? o.private_bytes
                     : f.readers.size() < parts ? o.shared_bytes
                                                : o.constant_bytes;
      sum += layout::ElementBytes(*entries[k].shape, cells);
    }
    out.push_back(std::move(o));
  }
  return out;
}

// Axes of the result are cut by blocks; a reduction becomes a map stage, and its parts an axis.
absl::Status AnswerCut(const ArrayRef& of, const Arguments& arguments, ProjectAnswer* answer) {
  TESSERA_ASSIGN_OR_RETURN(Signature s, of.SignatureOf(/*split=*/true));
  TESSERA_ASSIGN_OR_RETURN(std::vector<projection::Cut> cuts, ParseCuts(arguments.Get("cut"), s));
  for (const projection::Cut& cut : cuts) {
    if (s.axes[static_cast<size_t>(cut.axis)].kind != projection::AxisKind::kReduction) continue;
    TESSERA_ASSIGN_OR_RETURN(answer->stages, projection::CutReduction(s, cut.axis, cut.parts));
    s = answer->stages->map;
  }
  if (answer->stages.has_value()) answer->signature = s;
  TESSERA_ASSIGN_OR_RETURN(const projection::ShardPlan plan,
                           projection::CutOperation(answer->signature, cuts));
  for (const projection::Shard& shard : plan.shards) {
    TESSERA_ASSIGN_OR_RETURN(ProjectedBlock one, Regions(of, answer->signature, shard.index));
    if (answer->stages.has_value()) answer->partial_bytes += one.written_bytes;
    answer->blocks.push_back(std::move(one));
  }
  TESSERA_ASSIGN_OR_RETURN(answer->shared, SharedBy(of, plan));
  answer->plan = plan;
  return absl::OkStatus();
}

absl::Status AnswerBlock(const ArrayRef& of, const Arguments& arguments, ProjectAnswer* answer) {
  const Signature& s = answer->signature;
  ZRange block = s.index;
  if (arguments.Has("block")) {
    TESSERA_ASSIGN_OR_RETURN(block, ParseBlock(arguments.Get("block"), s.index));
  }
  TESSERA_ASSIGN_OR_RETURN(ProjectedBlock one, Regions(of, s, block));
  answer->blocks.push_back(std::move(one));
  if (!arguments.Has("block") || block.empty() || !of.has_array()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(answer->growth, projection::GrowByOne(s, ElementBytesOf(of, s), block));
  return absl::OkStatus();
}

bool AsksForOrigins(const Arguments& arguments) {
  return arguments.Has("to-inputs") || arguments.Has("through");
}

absl::Status CheckFlags(const Arguments& arguments) {
  const int asked = arguments.Has("block") + arguments.Has("cut") + arguments.Has("device") +
                    arguments.Has("best");
  if (asked > 1)
    return absl::InvalidArgumentError("--block, --cut, --device and --best exclude each other");
  if (arguments.Has("memory") && !arguments.Has("best"))
    return absl::InvalidArgumentError(
        "--memory limits the parts of --best=PARTS, which is missing");
  if (AsksForOrigins(arguments) && (arguments.Has("cut") || arguments.Has("best")))
    return absl::InvalidArgumentError(
        "--to-inputs and --through follow one block: give --block or --device, or neither for "
        "the whole result");
  if (arguments.Has("best") && (arguments.Has("draw") || arguments.Has("svg")))
    return absl::InvalidArgumentError(
        "--best has no picture: draw the cut that you like with --cut=0:2,1:2 --draw");
  return absl::OkStatus();
}

// Further back than to the operands.
absl::Status AnswerOrigins(const ArrayRef& of, const Arguments& arguments, AddDevice add_device,
                           ProjectAnswer* answer) {
  if (answer->signature.results.empty())
    return absl::InvalidArgumentError(
        "--to-inputs and --through follow the elements of an array, and this result has none");
  TESSERA_ASSIGN_OR_RETURN(const projection::ZSet cells,
                           answer->signature.results[0].Image(answer->blocks[0].block));
  TESSERA_ASSIGN_OR_RETURN(answer->origins, OriginsOf(of, cells, arguments.All("through"),
                                                      arguments.Has("to-inputs"), add_device));
  return absl::OkStatus();
}

absl::Status Answer(const ArrayRef& of, const ShardingLookup* placement, const Arguments& arguments,
                    ProjectAnswer* answer) {
  TESSERA_ASSIGN_OR_RETURN(answer->signature, of.SignatureOf());
  if (arguments.Has("best")) return AnswerBest(of, arguments, answer);
  if (arguments.Has("cut")) return AnswerCut(of, arguments, answer);
  if (placement == nullptr) {
    TESSERA_RETURN_IF_ERROR(AnswerBlock(of, arguments, answer));
    const auto nothing = [](const ArrayRef&, const layout::Shape&, ProjectedOperand*) {
      return absl::OkStatus();
    };
    return AsksForOrigins(arguments) ? AnswerOrigins(of, arguments, nothing, answer)
                                     : absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const DeviceTiles tiles, DeviceTiles::Create(*placement, arguments));
  TESSERA_RETURN_IF_ERROR(AnswerDevice(of, *placement, tiles, answer));
  const auto add = [&](const ArrayRef& array, const layout::Shape& shape, ProjectedOperand* o) {
    return tiles.AddTo(array, shape, o);
  };
  return AsksForOrigins(arguments) ? AnswerOrigins(of, arguments, add, answer) : absl::OkStatus();
}

// With the place of the instruction in the module that was read, unless the message has one.
absl::Status AtInstruction(const hlo::Module& read, const std::string& name,
                           const absl::Status& status) {
  const auto array = FindArray(read, name);
  const bool has_place = status.message().find('\n') != absl::string_view::npos;
  if (has_place || !array.ok() || read.text() == nullptr) return status;
  const hlo::Instruction& instruction = read.instruction(array->id);
  if (instruction.is_implied) return status;
  return text::Located(text::ErrorAt(instruction.source.begin, status.message()), *read.text());
}

absl::StatusOr<ProjectAnswer> AnswerAbout(const hlo::Module& module, const NamedArray& array,
                                          const ShardingLookup* placement,
                                          const Arguments& arguments) {
  const ArrayRef of{module, array.id, array.leaf};
  ProjectAnswer answer;
  for (const Entry& entry : EntriesOf(of)) answer.operands.push_back(entry.name);
  answer.instruction = NameOf(of);
  const absl::Status status = Answer(of, placement, arguments, &answer);
  if (!status.ok()) return status;
  if (answer.plan.shards.empty() && !answer.blocks.empty()) {
    TESSERA_ASSIGN_OR_RETURN(answer.plan,
                             projection::PlanOfBlock(answer.signature, answer.blocks[0].block));
  }
  return answer;
}

}  // namespace

absl::StatusOr<ProjectAnswer> AnswerProject(const hlo::Module& module, const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckFlags(arguments));
  const std::string name = arguments.positional(1);
  absl::StatusOr<ProjectAnswer> answer;
  if (arguments.Has("device")) {
    TESSERA_ASSIGN_OR_RETURN(const ShardingLookup placement, PlaceModule(module, arguments));
    TESSERA_ASSIGN_OR_RETURN(const NamedArray array, FindPlaced(module, placement, name));
    answer = AnswerAbout(placement.module(), array, &placement, arguments);
  } else {
    TESSERA_ASSIGN_OR_RETURN(const NamedArray array, FindArray(module, name));
    answer = AnswerAbout(module, array, nullptr, arguments);
  }
  if (!answer.ok()) return AtInstruction(module, name, answer.status());
  return answer;
}

}  // namespace tessera::pipeline
