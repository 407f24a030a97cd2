// From binary HLO to text.
//
// Every number of the proto becomes a name: operands, callees and control predecessors are looked
// up by id, and everything else is written as it stands. Whether it makes a module is left to the
// reader of text, which has the checks and the messages; only a number that names nothing is
// reported here.
//
// Tested by proto_test.cc: modules go to binary and back.

#include "tessera/hlo/proto/proto_module_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "tessera/hlo/parse/recovery/hints.h"
#include "tessera/hlo/proto/proto_attributes.h"
#include "tessera/hlo/proto/proto_callee_names.h"
#include "tessera/hlo/proto/proto_header.h"
#include "tessera/hlo/proto/proto_recovery.h"
#include "tessera/hlo/proto/values/proto_literal.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

template <typename T>
using ById = absl::flat_hash_map<int64_t, const T*>;

class Writer {
 public:
  Writer(const pb::HloModuleProto& module, const text::ProtoPlaces* places)
      : module_(module), places_(places) {}

  absl::StatusOr<std::string> Write();

 private:
  absl::Status WriteComputation(const pb::HloComputationProto& computation);
  absl::Status WriteInstruction(const pb::HloInstructionProto& instruction);
  absl::Status WriteOperands(const pb::HloInstructionProto& instruction, Opcode opcode);
  absl::Status WriteCalled(const pb::HloInstructionProto& instruction, Opcode opcode);
  // "%a, %b"
  template <typename Ids, typename T>
  absl::StatusOr<std::string> Names(const Ids& ids, const ById<T>& things) const;
  absl::StatusOr<std::vector<const pb::HloInstructionProto*>> Order(
      const pb::HloComputationProto& computation) const;

  // The error of an instruction, and its place if the places are known.
  absl::Status ErrorOf(const pb::HloComputationProto& computation,
                       const pb::HloInstructionProto& instruction,
                       const absl::Status& status) const;

  const pb::HloModuleProto& module_;
  const text::ProtoPlaces* places_;  // of the module; may be null
  ById<pb::HloComputationProto> computations_;
  ById<pb::HloInstructionProto> instructions_;  // of the computation that is being written
  std::string out_;
};

absl::StatusOr<std::string> Writer::Write() {
  if (module_.debug_attributes_size() > 0) {
    return absl::UnimplementedError("binary HLO with debug_attributes");
  }
  const auto text_of = [](const pb::HloModuleProto& module) { return ModuleText(module); };
  TESSERA_ASSIGN_OR_RETURN(const std::string table, RecoveryTableText(module_, text_of));
  out_ = absl::StrCat(HeaderTextFromProto(module_, table), "\n\n");
  for (const pb::HloComputationProto& computation : module_.computations()) {
    TESSERA_RETURN_IF_ERROR(WriteComputation(computation));
    computations_[computation.id()] = &computation;
  }
  return std::move(out_);
}

absl::StatusOr<std::vector<const pb::HloInstructionProto*>> Writer::Order(
    const pb::HloComputationProto& computation) const {
  std::vector<const pb::HloInstructionProto*> order;
  const auto& sequences = module_.schedule().sequences();
  const auto sequence = sequences.find(computation.id());
  if (sequence == sequences.end()) {
    for (const pb::HloInstructionProto& i : computation.instructions()) order.push_back(&i);
    return order;
  }
  for (int64_t id : sequence->second.instruction_ids()) {
    const auto found = instructions_.find(id);
    if (found == instructions_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the schedule of ", computation.name(), " names no instruction ", id));
    }
    order.push_back(found->second);
  }
  return order;
}

// Index of an element of a repeated field, which must be of it.
template <typename List, typename T>
int IndexOf(const List& list, const T& element) {
  const auto at =
      std::find_if(list.begin(), list.end(), [&](const T& t) { return &t == &element; });
  return static_cast<int>(at - list.begin());
}

absl::Status Writer::ErrorOf(const pb::HloComputationProto& computation,
                             const pb::HloInstructionProto& instruction,
                             const absl::Status& status) const {
  const std::string message = absl::StrCat("instruction '", instruction.name(), "' of '",
                                           computation.name(), "': ", status.message());
  if (places_ == nullptr) return absl::Status(status.code(), message);
  const auto field = [](const google::protobuf::Descriptor* of, const char* name) {
    return of->FindFieldByName(name);
  };
  const bool is_opcode = !OpcodeFromName(instruction.opcode()).has_value();
  const text::ProtoPlaces in_computation = places_->Nested(
      field(module_.descriptor(), "computations"), IndexOf(module_.computations(), computation));
  const text::ProtoPlaces in_instruction =
      in_computation.Nested(field(computation.descriptor(), "instructions"),
                            IndexOf(computation.instructions(), instruction));
  const size_t offset =
      in_instruction.OffsetOf(field(instruction.descriptor(), is_opcode ? "opcode" : "name"), 0);
  return text::ErrorAt(offset, message);
}

absl::Status Writer::WriteComputation(const pb::HloComputationProto& computation) {
  instructions_.clear();
  for (const pb::HloInstructionProto& i : computation.instructions()) instructions_[i.id()] = &i;
  const bool entry = computation.id() == module_.entry_computation_id();
  absl::StrAppend(&out_, entry ? "ENTRY %" : "%", computation.name(), " {\n");
  TESSERA_ASSIGN_OR_RETURN(const auto order, Order(computation));
  for (const pb::HloInstructionProto* instruction : order) {
    absl::StrAppend(&out_, "  ", instruction->id() == computation.root_id() ? "ROOT " : "");
    if (const absl::Status s = WriteInstruction(*instruction); !s.ok()) {
      return ErrorOf(computation, *instruction, s);
    }
    out_ += '\n';
  }
  out_ += '}';
  const std::string& thread = computation.execution_thread();
  if (!thread.empty() && thread != "main") {
    absl::StrAppend(&out_, ", execution_thread=\"", thread, "\"");
  }
  if (!computation.backend_config().empty()) {
    absl::StrAppend(&out_, ", backend_config=", BackendConfigText(computation.backend_config()));
  }
  out_ += "\n\n";
  return absl::OkStatus();
}

template <typename Ids, typename T>
absl::StatusOr<std::string> Writer::Names(const Ids& ids, const ById<T>& things) const {
  std::vector<std::string> names;
  for (int64_t id : ids) {
    const auto found = things.find(id);
    if (found == things.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("refers to the id ", id, ", which nothing has that stands before it"));
    }
    names.push_back(absl::StrCat("%", found->second->name()));
  }
  return absl::StrJoin(names, ", ");
}

absl::Status Writer::WriteOperands(const pb::HloInstructionProto& instruction, Opcode opcode) {
  if (opcode == Opcode::kParameter) {
    absl::StrAppend(&out_, instruction.parameter_number());
  } else if (opcode == Opcode::kConstant && !instruction.has_literal()) {
    out_ += "{...}";
  } else if (opcode == Opcode::kConstant) {
    TESSERA_ASSIGN_OR_RETURN(const std::string text, LiteralTextFromProto(instruction.literal()));
    out_ += text;
  } else {
    TESSERA_ASSIGN_OR_RETURN(const std::string names,
                             Names(instruction.operand_ids(), instructions_));
    out_ += names;
  }
  return absl::OkStatus();
}

absl::Status Writer::WriteInstruction(const pb::HloInstructionProto& instruction) {
  const auto opcode = OpcodeFromName(instruction.opcode());
  if (!opcode.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown opcode '", instruction.opcode(), "'",
                                                   NearestOpcode(instruction.opcode())));
  }
  absl::StrAppend(&out_, "%", instruction.name(), " = ");
  layout::AppendShape(ShapeFromProto(instruction.shape()), {}, &out_);
  absl::StrAppend(&out_, " ", instruction.opcode(), "(");
  TESSERA_RETURN_IF_ERROR(WriteOperands(instruction, *opcode));
  out_ += ')';
  const auto attributes = AttributesFromProto(instruction, *opcode, module_.payloads());
  const auto common = std::find_if(attributes.begin(), attributes.end(), [](const auto& a) {
    return static_cast<int>(a.name) < kNumCommonAttributes;
  });
  for (auto a = attributes.begin(); a != attributes.end(); ++a) {
    if (a == common) TESSERA_RETURN_IF_ERROR(WriteCalled(instruction, *opcode));
    absl::StrAppend(&out_, ", ", AttributeText(a->name), "=", a->value);
  }
  if (common == attributes.end()) TESSERA_RETURN_IF_ERROR(WriteCalled(instruction, *opcode));
  if (instruction.control_predecessor_ids().empty()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const std::string names,
                           Names(instruction.control_predecessor_ids(), instructions_));
  absl::StrAppend(&out_, ", control-predecessors={", names, "}");
  return absl::OkStatus();
}

// --- Called computations -------------------------------------------------------------------------

absl::Status Writer::WriteCalled(const pb::HloInstructionProto& instruction, Opcode opcode) {
  const auto& ids = instruction.called_computation_ids();
  const bool follows_start = opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone;
  if (ids.empty() || follows_start) return absl::OkStatus();
  bool branches_by_index = false;
  if (opcode == Opcode::kConditional && instruction.operand_ids_size() > 0) {
    const auto index = instructions_.find(instruction.operand_ids(0));
    branches_by_index =
        ShapeFromProto(index->second->shape()).element_type() != layout::ElementType::kPred;
  }
  const std::vector<AttributeName> names = CalledNames(opcode, ids.size(), branches_by_index);
  const bool list = names.size() == 1 && (names[0] == AttributeName::kCalledComputations ||
                                          names[0] == AttributeName::kBranchComputations);
  for (size_t i = 0; i < names.size(); ++i) {
    const int at = static_cast<int>(i);
    if (at >= ids.size()) break;
    const std::vector<int64_t> called =
        list ? std::vector<int64_t>(ids.begin(), ids.end()) : std::vector<int64_t>{ids.Get(at)};
    TESSERA_ASSIGN_OR_RETURN(const std::string text, Names(called, computations_));
    absl::StrAppend(&out_, ", ", AttributeText(names[i]), "=", list ? "{" : "", text,
                    list ? "}" : "");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ModuleText(const pb::HloModuleProto& module,
                                       const text::ProtoPlaces* places) {
  return Writer(module, places).Write();
}

}  // namespace tessera::hlo
