// A text such as {devices=[2,4]<=[8]} names no axes. All texts of the module are read first:
// together they tell which one mesh they are cut from (sharding/hlo_import.h), if the user gives
// none. Each distinct one is read once. Then parameters, results and ops take their leaves in the
// order of the program; a sharding that is not a tuple is that of every leaf. What may still change
// (the boundary flags of the module) comes in open.
//
// Linear in the instructions and their leaves. Tested by pipeline/shard_test.cc.

#include "tessera/sharding/passes/import/annotations/plain_annotations.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/transfers.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using Leaves = std::vector<HloSharding>;

class PlainReader {
 public:
  PlainReader(HloProgram* program, SdyAttributeReader* frontend)
      : program_(*program), frontend_(*frontend) {}

  absl::Status Run();

 private:
  absl::Status Parse(hlo::InstructionId id, HloMeshFinder* finder);
  absl::Status FindMesh();
  absl::Status ReadParameters(const Function& f);
  absl::Status ReadResults(Function* f);
  absl::Status ReadOp(Op* op);
  absl::Status ReadCall(Op* op);
  absl::Status ReadTransfer(Op* op);

  // The leaves of the instruction's sharding, one for each of `count`; empty if it has none.
  absl::StatusOr<Leaves> LeavesOf(hlo::InstructionId id, size_t count);
  absl::StatusOr<ShardingId> Import(hlo::InstructionId id, const HloSharding& leaf,
                                    const Value& value, bool is_open);

  HloProgram& program_;
  SdyAttributeReader& frontend_;
  std::optional<HloImporter> importer_;
  absl::flat_hash_map<std::string, HloSharding> parsed_;
};

// A list of one entry applies to all values; an empty one means no.
bool MayChange(const std::vector<bool>& allowed, size_t i) {
  if (allowed.size() == 1) return allowed[0];
  return i < allowed.size() && allowed[i];
}

absl::Status PlainReader::Parse(hlo::InstructionId id, HloMeshFinder* finder) {
  const auto text = program_.module().FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value() || parsed_.contains(std::string(*text))) return absl::OkStatus();
  auto sharding = ParseHloSharding(std::string(*text));
  if (!sharding.ok()) return frontend_.ErrorAt(id, sharding.status().message());
  const absl::Status fits = finder->Add(*sharding);
  if (!fits.ok()) return frontend_.ErrorAt(id, fits.message());
  parsed_[std::string(*text)] = *std::move(sharding);
  return absl::OkStatus();
}

absl::Status PlainReader::FindMesh() {
  HloMeshFinder finder;
  absl::Status found;
  for (hlo::InstructionId id = 0; id < program_.module().num_instructions(); ++id) {
    text::Collect(Parse(id, &finder), &found);
  }
  TESSERA_RETURN_IF_ERROR(found);
  if (!finder.found()) return absl::OkStatus();
  auto importer = finder.Build(frontend_.given_mesh());
  if (!importer.ok()) return importer.status();
  importer_ = *std::move(importer);
  const MeshTable& meshes = importer_->meshes();
  for (MeshId id = 0; id < meshes.size(); ++id) {
    TESSERA_RETURN_IF_ERROR(program_.meshes().Add(meshes.name(id), meshes.mesh(id)).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<Leaves> PlainReader::LeavesOf(hlo::InstructionId id, size_t count) {
  const auto text = program_.module().FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return Leaves();
  const HloSharding& sharding = parsed_.at(std::string(*text));
  if (!sharding.IsTuple()) return Leaves(count, sharding);
  if (sharding.elements().size() == count) return sharding.elements();
  return frontend_.ErrorAt(id, absl::StrCat("sharding= has ", sharding.elements().size(),
                                            " elements for ", count, " arrays"));
}

absl::StatusOr<ShardingId> PlainReader::Import(hlo::InstructionId id, const HloSharding& leaf,
                                               const Value& value, bool is_open) {
  auto sharding = importer_->Import(leaf, value.rank(), is_open);
  if (!sharding.ok()) return frontend_.ErrorAt(id, sharding.status().message());
  if (value.is_array() && !leaf.IsMaximal() && sharding->rank() != value.rank()) {
    return frontend_.ErrorAt(
        id, absl::StrCat("the sharding ", leaf.ToString(), " has ", sharding->rank(),
                         " dimensions, the array ", value.rank()));
  }
  return program_.shardings().Intern(*sharding);
}

absl::Status PlainReader::ReadParameters(const Function& f) {
  const hlo::Module& module = program_.module();
  for (hlo::InstructionId id : module.computation(f.body->source).parameters) {
    const absl::Span<Value* const> values = program_.TableOf(f.body)->Get(id);
    TESSERA_ASSIGN_OR_RETURN(const Leaves leaves, LeavesOf(id, values.size()));
    for (size_t i = 0; i < leaves.size(); ++i) {
      const size_t number = static_cast<size_t>(values[i]->index());
      const bool is_open =
          f.is_entry && MayChange(module.header().spmd_propagation_to_parameters, number);
      TESSERA_ASSIGN_OR_RETURN(const ShardingId s, Import(id, leaves[i], *values[i], is_open));
      values[i]->set_sharding(s);
    }
  }
  return absl::OkStatus();
}

absl::Status PlainReader::ReadResults(Function* f) {
  const hlo::InstructionId root = program_.module().computation(f->body->source).root;
  const Op* result = f->body->terminator();
  TESSERA_ASSIGN_OR_RETURN(const Leaves leaves, LeavesOf(root, result->operands.size()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool is_open =
        f->is_entry && MayChange(program_.module().header().spmd_propagation_to_output, i);
    TESSERA_ASSIGN_OR_RETURN(
        f->result_shardings[i],
        Import(root, leaves[i], *result->operand(static_cast<int>(i)), is_open));
  }
  return absl::OkStatus();
}

// The op that has the instruction's value, if it is made of several.
bool StandsForInstruction(const Op& op) {
  return op.source != hlo::kNoId && op.kind != OpKind::kReturn &&
         (op.part == OpPart::kWhole || op.part == OpPart::kSplatBroadcast ||
          op.part == OpPart::kSortedBroadcast);
}

// A custom call without results has one sharding, its own.
absl::Status PlainReader::ReadCall(Op* op) {
  TESSERA_ASSIGN_OR_RETURN(const Leaves leaves, LeavesOf(op->source, 1));
  if (leaves.empty()) return absl::OkStatus();
  auto sharding = importer_->Import(leaves[0], /*rank=*/0, /*is_open=*/false);
  if (!sharding.ok()) return frontend_.ErrorAt(op->source, sharding.status().message());
  program_.NewPayload<CallSharding>(op)->sharding = program_.shardings().Intern(*sharding);
  return absl::OkStatus();
}

// The leaves of the beginning speak for the results of the end.
absl::Status PlainReader::ReadTransfer(Op* op) {
  TESSERA_ASSIGN_OR_RETURN(const Leaves leaves, LeavesOf(op->source, op->results.size()));
  Op* end = EndOfTransfer(*op);
  if (leaves.empty() || end == nullptr) return absl::OkStatus();
  const Leaves at_end = AtEndOfTransfer(*op, leaves);
  for (Value& result : end->results) {
    const HloSharding& leaf = at_end[static_cast<size_t>(result.index())];
    TESSERA_ASSIGN_OR_RETURN(const ShardingId s, Import(op->source, leaf, result, false));
    WriteSharding(program_, &result, s);
  }
  return absl::OkStatus();
}

absl::Status PlainReader::ReadOp(Op* op) {
  if (!StandsForInstruction(*op) || EndsTransfer(*op)) return absl::OkStatus();
  if (BeginsTransfer(*op)) return ReadTransfer(op);
  if (op->results.empty() && op->opcode == hlo::Opcode::kCustomCall) return ReadCall(op);
  if (op->results.empty()) return absl::OkStatus();
  const hlo::Module& module = program_.module();
  const size_t count = layout::NumLeaves(module.shape(op->source));
  TESSERA_ASSIGN_OR_RETURN(const Leaves leaves, LeavesOf(op->source, count));
  if (leaves.empty()) return absl::OkStatus();
  for (int k = 0; k < op->num_results(); ++k) {
    // Results and leaves differ for loops with removed elements, and for an rng-bit-generator,
    // whose first leaf is the new state.
    int leaf = k - (op->num_results() - static_cast<int>(count));
    if (op->kind == OpKind::kWhile) leaf = op->As<LoopInfo>()->leaves[static_cast<size_t>(k)];
    if (leaf < 0) continue;
    TESSERA_ASSIGN_OR_RETURN(
        const ShardingId s,
        Import(op->source, leaves[static_cast<size_t>(leaf)], *op->result(k), false));
    WriteSharding(program_, op->result(k), s);
  }
  return absl::OkStatus();
}

absl::Status PlainReader::Run() {
  TESSERA_RETURN_IF_ERROR(FindMesh());
  if (!importer_.has_value()) return absl::OkStatus();
  absl::Status found;
  for (Function* f : program_.functions()) {
    text::Collect(ReadParameters(*f), &found);
    text::Collect(ReadResults(f), &found);
    ForEachOp(f->body, [&](Op* op) { text::Collect(ReadOp(op), &found); });
  }
  return found;
}

}  // namespace

absl::Status ReadPlainAnnotations(HloProgram* program, SdyAttributeReader* frontend) {
  return PlainReader(program, frontend).Run();
}

}  // namespace tessera::sharding::passes
