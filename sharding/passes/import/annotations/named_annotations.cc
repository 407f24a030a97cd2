#include "tessera/sharding/passes/import/annotations/named_annotations.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/passes/import/annotations/annotations.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/transfers.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// Converts one leaf.
absl::StatusOr<NamedAnnotation> Convert(HloProgram& program, const HloSharding& leaf) {
  NamedAnnotation out;
  if (leaf.kind() == HloSharding::Kind::kReplicated) return out;
  if (!leaf.IsNamed()) {
    return absl::InvalidArgumentError(
        absl::StrCat(leaf.ToString(),
                     " names no mesh, but other shardings of the module do: write it with axes"));
  }
  TESSERA_ASSIGN_OR_RETURN(const TensorSharding s, NamedToTensorSharding(leaf, program.meshes()));
  out.sharding = program.shardings().Intern(s);
  const Mesh& mesh = leaf.named().mesh;
  for (AxisRef ref : leaf.named().manual) out.manual_axes.push_back(mesh.axis(ref.axis()).name);
  return out;
}

absl::StatusOr<std::vector<NamedAnnotation>> ReadText(HloProgram& program,
                                                      const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const HloSharding sharding, ParseHloSharding(text));
  const std::vector<HloSharding> parts =
      sharding.IsTuple() ? sharding.elements() : std::vector<HloSharding>{sharding};
  std::vector<NamedAnnotation> list;
  for (const HloSharding& leaf : parts) {
    TESSERA_ASSIGN_OR_RETURN(NamedAnnotation converted, Convert(program, leaf));
    list.push_back(std::move(converted));
  }
  return list;
}

// The first mesh without axes, where none has any.
MeshId FirstMeshWithAxes(const MeshTable& meshes) {
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.mesh(id).num_axes() > 0) return id;
  }
  return 0;
}

class NamedReader {
 public:
  NamedReader(HloProgram* program, SdyAttributeReader* frontend)
      : program_(*program), frontend_(*frontend) {}

  absl::Status Run();

 private:
  using List = std::vector<ShardingId>;

  absl::Status ReadParameter(hlo::InstructionId id, absl::Span<Value* const> leaves);
  absl::Status ReadParameters(Function* f);
  absl::Status ReadResults(Function* f);
  absl::Status ReadOp(Op* op);
  // One for each of `leaves` leaves; empty if the instruction has no sharding.
  absl::StatusOr<List> ShardingsOf(hlo::InstructionId id, size_t leaves);
  // `{mesh[], replicated}` says no rank: the sharding with that of the value.
  ShardingId WithRankOf(const Value& value, ShardingId sharding);

  HloProgram& program_;
  SdyAttributeReader& frontend_;
  absl::flat_hash_map<std::string, List> known_;
};

absl::StatusOr<NamedReader::List> NamedReader::ShardingsOf(hlo::InstructionId id, size_t leaves) {
  const auto text = program_.module().FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return List();
  List& list = known_[std::string(*text)];
  if (list.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const auto read, ReadText(program_, std::string(*text)));
    for (const NamedAnnotation& annotation : read) list.push_back(annotation.sharding);
  }
  if (list.size() == 1) return List(leaves, list[0]);
  if (list.size() == leaves) return list;
  return absl::InvalidArgumentError(
      absl::StrCat("sharding= has ", list.size(), " elements for ", leaves, " arrays"));
}

ShardingId NamedReader::WithRankOf(const Value& value, ShardingId sharding) {
  const TensorSharding* said = program_.Find(sharding);
  if (said == nullptr || said->rank() > 0 || RankOf(&value) == 0) return sharding;
  if (program_.meshes().mesh(said->mesh_id()).num_axes() > 0) return sharding;
  if (program_.meshes().mesh(said->mesh_id()).is_maximal()) return sharding;
  return program_.shardings().Intern(
      TensorSharding::FullyClosed(FirstMeshWithAxes(program_.meshes()), RankOf(&value)));
}

absl::Status NamedReader::ReadParameter(hlo::InstructionId id, absl::Span<Value* const> leaves) {
  const auto list = ShardingsOf(id, leaves.size());
  if (!list.ok()) return frontend_.ErrorAt(id, list.status().message());
  for (size_t i = 0; i < list->size(); ++i) {
    const ShardingId sharding = WithRankOf(*leaves[i], (*list)[i]);
    TESSERA_RETURN_IF_ERROR(frontend_.Check(sharding, *leaves[i], id));
    leaves[i]->set_sharding(sharding);
  }
  return absl::OkStatus();
}

absl::Status NamedReader::ReadParameters(Function* f) {
  absl::Status found;
  for (hlo::InstructionId id : program_.module().computation(f->body->source).parameters) {
    text::Collect(ReadParameter(id, program_.TableOf(f->body)->Get(id)), &found);
  }
  return found;
}

absl::Status NamedReader::ReadResults(Function* f) {
  const hlo::InstructionId root = program_.module().computation(f->body->source).root;
  const auto list = ShardingsOf(root, f->result_shardings.size());
  if (!list.ok()) return frontend_.ErrorAt(root, list.status().message());
  if (list->empty()) return absl::OkStatus();
  f->result_shardings = *list;
  const Op* result = f->body->terminator();
  for (size_t i = 0; i < list->size(); ++i) {
    f->result_shardings[i] = WithRankOf(*result->operand(static_cast<int>(i)), (*list)[i]);
  }
  return absl::OkStatus();
}

bool IsRead(const hlo::Module& module, const Op& op) {
  const Mark mark = MarkOf(module, op);
  return mark == Mark::kX64Combine || CarriesSharding(module, op);
}

absl::Status NamedReader::ReadOp(Op* op) {
  if (!IsRead(program_.module(), *op)) return absl::OkStatus();
  // A call without results has one for itself.
  auto list = ShardingsOf(op->source, std::max<size_t>(op->results.size(), 1));
  if (!list.ok()) return frontend_.ErrorAt(op->source, list.status().message());
  if (list->empty()) return absl::OkStatus();
  for (size_t i = 0; i < op->results.size(); ++i) {
    (*list)[i] = WithRankOf(op->results[i], (*list)[i]);
  }
  if (BeginsTransfer(*op)) *list = AtEndOfTransfer(*op, *list);
  return SetResultShardings(&program_, &frontend_, op, *list);
}

absl::Status NamedReader::Run() {
  absl::Status found;
  for (Function* f : program_.functions()) {
    text::Collect(ReadParameters(f), &found);
    text::Collect(ReadResults(f), &found);
    ForEachOpPostOrder(f->body, [&](Op* op) { text::Collect(ReadOp(op), &found); });
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<NamedAnnotation>> ReadNamedAnnotation(HloProgram* program,
                                                                 hlo::InstructionId id) {
  const auto text = program->module().FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return std::vector<NamedAnnotation>();
  return ReadText(*program, std::string(*text));
}

absl::Status ReadNamedAnnotations(HloProgram* program, SdyAttributeReader* frontend) {
  return NamedReader(program, frontend).Run();
}

}  // namespace tessera::sharding::passes
