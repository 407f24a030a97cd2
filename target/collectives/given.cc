#include "tessera/target/collectives/given.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/text/diagnostic.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;
using sharding::partition::Collective;
using sharding::partition::GivenGroups;

// A start that has an opcode of its own: the opcode without it, and whether its shape holds the
// operands in front of the result.
struct NativeStart {
  Opcode start, plain;
  bool with_operands;
};
constexpr NativeStart kNativeStarts[] = {
    {Opcode::kAllGatherStart, Opcode::kAllGather, true},
    {Opcode::kAllReduceStart, Opcode::kAllReduce, false},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermute, true}};

void ReadOpcodeAndShape(const hlo::Module& module, InstructionId id, Collective* c) {
  c->opcode = module.instruction(id).opcode;
  c->shape = module.shape(id);
  for (const NativeStart& native : kNativeStarts) {
    if (native.start != c->opcode) continue;
    c->opcode = native.plain;
    if (native.with_operands && c->shape.is_tuple() && c->shape.tuple_elements().size() > 1) {
      c->shape = Shape(c->shape.tuple_elements()[1]);
    }
    return;
  }
}

absl::Status TooManyDevices(const hlo::Module& module, InstructionId id) {
  return text::ErrorAt(
      module.instruction(id).source.begin,
      absl::StrCat("replica_groups names axes that its mesh does not have, or, with those of other "
                   "collectives, more than ",
                   GivenGroups::kMostListed, " devices"));
}

}  // namespace

CollectiveReader::Pairs CollectiveReader::PairsOf(InstructionId id) {
  const auto text = module_.FindAttribute(id, AttributeName::kSourceTargetPairs);
  if (!text.has_value()) return {};
  const auto [known, is_new] = pairs_.try_emplace(*text);
  if (is_new) known->second = hlo::GetSourceTargetPairs(module_, id);
  return known->second;
}

absl::StatusOr<Collective> CollectiveReader::Read(InstructionId id) {
  Collective c;
  ReadOpcodeAndShape(module_, id, &c);
  std::vector<Shape> operands;
  for (const InstructionId operand : module_.operands(id)) {
    operands.push_back(module_.shape(operand));
  }
  c.operands = std::move(operands);
  if (const auto text = module_.FindAttribute(id, AttributeName::kReplicaGroups)) {
    const auto& header = module_.header();
    auto groups = groups_.Of(*text, header.num_partitions * header.replica_count);
    if (!groups.has_value()) return TooManyDevices(module_, id);
    c.groups = *std::move(groups);
  }
  c.pairs = PairsOf(id);
  if (const auto dimensions = hlo::GetInts(module_, id, AttributeName::kDimensions)) {
    c.dimensions = std::vector<int64_t>(dimensions->begin(), dimensions->end());
  }
  if (!module_.called(id).empty()) {
    const InstructionId root = module_.computation(module_.called(id)[0]).root;
    c.reduction = std::string(hlo::OpcodeName(module_.instruction(root).opcode));
  }
  c.cause = c.named = id;
  if (!module_.operands(id).empty()) c.producer = module_.operands(id)[0];
  return c;
}

// Fusions of a TPU: an all-reduce and slices, with what computes the place of the slices. A fusion
// with a product, or one that is large, computes something with the whole sum.
std::optional<Shape> ReducedAndSliced(const hlo::Module& module, hlo::ComputationId fused) {
  constexpr size_t kMost = 40;
  constexpr Opcode kMore[] = {Opcode::kWhile, Opcode::kFusion, Opcode::kConvolution};
  const hlo::Computation& body = module.computation(fused);
  const bool is_named_so = absl::StartsWith(body.name, "all-reduce-scatter");
  if (!is_named_so && body.instructions.size() >= kMost) return std::nullopt;
  std::vector<Shape> slices;
  size_t sums = 0;
  for (const InstructionId id : body.instructions) {
    const Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kAllReduce) sums += module.operands(id).size();
    if (opcode == Opcode::kDynamicSlice) slices.push_back(module.shape(id));
    if (!is_named_so && absl::c_linear_search(kMore, opcode)) return std::nullopt;
  }
  if (sums == 0 || (slices.empty() && !is_named_so)) return std::nullopt;
  if (slices.size() != sums) return module.shape(body.root);
  return sums == 1 ? slices[0] : Shape::Tuple(std::move(slices));
}

}  // namespace tessera::target
