// One walk collects the signs, a table in the order of certainty picks the stage.

#include "tessera/target/stage/stage.h"

#include <bitset>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Opcode;

// JAX and XLA put shardings on such instructions before propagation, too.
constexpr Opcode kAnnotatedBefore[] = {Opcode::kParameter,  Opcode::kConstant,
                                       Opcode::kTuple,      Opcode::kGetTupleElement,
                                       Opcode::kCustomCall, Opcode::kReshape};

// The partitioner leaves their shardings.
constexpr Opcode kAnnotatedAfter[] = {Opcode::kSend,     Opcode::kSendDone, Opcode::kRecv,
                                       Opcode::kRecvDone, Opcode::kInfeed,   Opcode::kOutfeed};

// Only a compiler's back end makes these.
constexpr Opcode kMadeLate[] = {Opcode::kFusion,         Opcode::kAsyncStart,
                                Opcode::kAllGatherStart, Opcode::kAllReduceStart,
                                Opcode::kCopyStart,      Opcode::kCollectivePermuteStart};

// The first instruction of each kind; kNoId where there is none.
struct Signs {
  bool for_propagation = false;           // a mark that propagation reads and takes away
  bool annotated = false;                 // any sharding
  InstructionId inner = hlo::kNoId;       // a sharding on neither a parameter nor a root
  InstructionId propagated = hlo::kNoId;  // a sharding that only propagation puts there
  InstructionId late = hlo::kNoId;
  InstructionId tiled = hlo::kNoId;
  InstructionId speaks = hlo::kNoId;  // to other partitions
};

// The signs in the attributes of an instruction.
struct Marks {
  bool is_for_propagation = false;
  bool has_sharding = false;
  bool has_channel = false;
};

Marks MarksOf(const hlo::Module& module, InstructionId id) {
  Marks marks;
  for (const hlo::Attribute& attribute : module.attributes(id)) {
    switch (attribute.name()) {
      case AttributeName::kFrontendAttributes:
        marks.is_for_propagation = absl::StrContains(attribute.value(), "xla.sdy.");
        break;
      case AttributeName::kSharding:
        marks.has_sharding = true;
        break;
      case AttributeName::kChannelId:
        marks.has_channel = true;
        break;
      default:
        break;
    }
  }
  return marks;
}

bool IsCallForPropagation(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kCustomCall) return false;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape" || absl::StartsWith(target, "xla.sdy.");
}

bool SpeaksToPartitions(Opcode opcode, const Marks& marks) {
  return opcode == Opcode::kPartitionId || (marks.has_channel && IsCollective(opcode));
}

std::vector<bool> TiledShapes(const hlo::Module& module) {
  std::vector<bool> tiled(module.num_shapes());
  for (hlo::ShapeId id = 0; id < module.num_shapes(); ++id) {
    tiled[id] = layout::HasTiles(module.interned_shape(id));
  }
  return tiled;
}

Signs SignsOf(const hlo::Module& module) {
  Signs signs;
  signs.for_propagation = absl::c_any_of(module.header().frontend_attributes, [](const auto& a) {
    return absl::StartsWith(a.first, "xla.sdy.");
  });
  const std::vector<bool> tiled = TiledShapes(module);
  std::bitset<hlo::kNumOpcodes> late;
  for (const Opcode opcode : kMadeLate) late.set(static_cast<size_t>(opcode));
  const auto note = [](InstructionId id, bool is_one, InstructionId* first) {
    if (is_one && *first == hlo::kNoId) *first = id;
  };
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const Opcode opcode = module.instruction(id).opcode;
    Marks marks = MarksOf(module, id);
    marks.has_sharding &= !absl::c_linear_search(kAnnotatedAfter, opcode);
    const bool is_border = opcode == Opcode::kParameter || module.instruction(id).is_root;
    signs.for_propagation |= marks.is_for_propagation || IsCallForPropagation(module, id);
    signs.annotated |= marks.has_sharding;
    note(id, marks.has_sharding && !is_border, &signs.inner);
    note(id, marks.has_sharding && !absl::c_linear_search(kAnnotatedBefore, opcode),
         &signs.propagated);
    note(id, late[static_cast<size_t>(opcode)], &signs.late);
    // The TPU's partitioner makes constants that have tiles.
    note(id, tiled[module.shape_id(id)] && opcode != Opcode::kConstant, &signs.tiled);
    note(id, SpeaksToPartitions(opcode, marks), &signs.speaks);
  }
  return signs;
}

std::string Said(absl::string_view what, const hlo::Module& module, InstructionId id) {
  return absl::StrCat(what, " '", module.instruction(id).name, "'");
}

std::string SaidOfSpeaker(const hlo::Module& module, InstructionId id) {
  const bool is_id = module.instruction(id).opcode == Opcode::kPartitionId;
  return Said(is_id ? "partition-id" : "the channel of", module, id);
}

}  // namespace

absl::string_view StageName(Stage stage) {
  constexpr absl::string_view kNames[] = {"lowered", "sharded", "partitioned", "final"};
  return kNames[static_cast<size_t>(stage)];
}

StageReading ReadStage(const hlo::Module& module) {
  if (module.header().is_scheduled) return {Stage::kFinal, "is_scheduled=true"};
  const Signs signs = SignsOf(module);
  if (signs.for_propagation) return {};
  if (!signs.annotated && signs.tiled != hlo::kNoId) {
    return {Stage::kFinal, Said("the tiled layout of", module, signs.tiled)};
  }
  if (!signs.annotated && signs.late != hlo::kNoId) {
    return {Stage::kFinal,
            Said(hlo::OpcodeName(module.instruction(signs.late).opcode), module, signs.late)};
  }
  if (module.header().num_partitions > 1 && signs.inner == hlo::kNoId) {
    if (absl::EndsWith(module.entry().name, "_spmd")) {
      return {Stage::kPartitioned,
              absl::StrCat("the name of the entry, '", module.entry().name, "'")};
    }
    if (signs.speaks != hlo::kNoId)
      return {Stage::kPartitioned, SaidOfSpeaker(module, signs.speaks)};
  }
  if (signs.propagated == hlo::kNoId) return {};
  return {Stage::kSharded, Said("the sharding of", module, signs.propagated)};
}

}  // namespace tessera::target
