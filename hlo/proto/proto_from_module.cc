// From a module to binary HLO.
//
// Computations are written and numbered in order of the text, callees first. Instructions are
// written with operands first, but numbered as they stand in the text: readers sort them by number.
// The number of an instruction is that of its computation in the high half and its place in the low
// half. Names and stack frames are those that a reader of the text would give (uniquified_names.h).
//
// Tested by proto_test.cc.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/print/uniquified_names.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/proto/proto_attributes.h"
#include "tessera/hlo/proto/proto_header.h"
#include "tessera/hlo/proto/proto_recovery.h"
#include "tessera/hlo/proto/values/proto_literal.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

// In order of the text, where callees come first: readers number stack frames as they meet them. A
// module that was changed may have another order.
std::vector<ComputationId> WriteOrder(const Module& module) {
  std::vector<ComputationId> order;
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    order.push_back(c);
    for (InstructionId id : module.computation(c).instructions) {
      const auto called = module.called(id);
      const bool is_later = std::any_of(called.begin(), called.end(),
                                        [c](ComputationId callee) { return callee > c; });
      if (is_later) return ComputationPostOrder(module);
    }
  }
  return order;
}

class Builder {
 public:
  explicit Builder(const Module& module)
      : module_(module),
        names_(LoadNames(module, true)),
        frames_(LoadFrames(module, true)),
        order_(WriteOrder(module)) {}

  absl::Status Build(pb::HloModuleProto* proto);

 private:
  void NumberAll();
  void FindFusionBodies();
  absl::Status BuildComputation(ComputationId id, pb::HloComputationProto* proto);
  absl::Status BuildInstruction(InstructionId id, pb::HloInstructionProto* proto);
  absl::Status BuildConstant(InstructionId id, pb::HloInstructionProto* proto);
  void BuildSchedule(pb::HloScheduleProto* proto);

  const Module& module_;
  const UniquifiedNames names_;
  const LoadedFrames frames_;
  const std::vector<ComputationId> order_;
  std::vector<std::vector<InstructionId>> instructions_;  // by place in order_
  std::vector<int64_t> computation_numbers_;              // by ComputationId
  std::vector<int64_t> instruction_numbers_;              // by InstructionId
  std::vector<bool> fusion_body_;                         // by ComputationId
};

void Builder::NumberAll() {
  computation_numbers_.assign(module_.num_computations(), 0);
  instruction_numbers_.assign(module_.num_instructions(), 0);
  for (ComputationId c : order_) {
    const int64_t number = static_cast<int64_t>(instructions_.size()) + 1;
    computation_numbers_[c] = number;
    instructions_.push_back(PostOrder(module_, c));
    int64_t place = 0;
    for (InstructionId id : module_.computation(c).instructions) {
      instruction_numbers_[id] = number << 32 | place++;
    }
  }
}

void Builder::FindFusionBodies() {
  fusion_body_.assign(module_.num_computations(), false);
  for (const std::vector<InstructionId>& list : instructions_) {
    for (InstructionId id : list) {
      if (module_.instruction(id).opcode != Opcode::kFusion) continue;
      for (ComputationId body : module_.called(id)) fusion_body_[body] = true;
    }
  }
}

absl::Status Builder::Build(pb::HloModuleProto* proto) {
  if (!module_.header().debug_attributes.empty()) {
    return absl::UnimplementedError("binary HLO of a module with debug_attributes");
  }
  const auto store = [](const Module& module, pb::HloModuleProto* to) {
    return Builder(module).Build(to);
  };
  TESSERA_RETURN_IF_ERROR(StoreRecoveryTable(module_, store, proto));
  NumberAll();
  FindFusionBodies();
  HeaderToProto(module_, frames_.tables, proto);
  proto->set_entry_computation_name(std::string(names_.computations[module_.entry_id()]));
  proto->set_entry_computation_id(computation_numbers_[module_.entry_id()]);
  for (size_t c = 0; c < order_.size(); ++c) {
    pb::HloComputationProto* computation = proto->add_computations();
    TESSERA_RETURN_IF_ERROR(BuildComputation(order_[c], computation));
    for (InstructionId id : instructions_[c]) {
      TESSERA_RETURN_IF_ERROR(BuildInstruction(id, computation->add_instructions()));
    }
  }
  if (module_.header().is_scheduled) BuildSchedule(proto->mutable_schedule());
  return absl::OkStatus();
}

absl::Status Builder::BuildComputation(ComputationId id, pb::HloComputationProto* proto) {
  const Computation& computation = module_.computation(id);
  if (computation.root == kNoId) {
    return absl::InvalidArgumentError(absl::StrCat(computation.name, " has no root"));
  }
  proto->set_name(std::string(names_.computations[id]));
  proto->set_id(computation_numbers_[id]);
  proto->set_root_id(instruction_numbers_[computation.root]);
  proto->set_is_fusion_computation(fusion_body_[id]);
  if (computation.execution_thread != "main") {
    proto->set_execution_thread(computation.execution_thread);
  }
  proto->set_backend_config(computation.backend_config);
  pb::ProgramShapeProto* program = proto->mutable_program_shape();
  for (InstructionId parameter : computation.parameters) {
    ShapeToProto(module_.shape(parameter), program->add_parameters());
    program->add_parameter_names(std::string(names_.instructions[parameter]));
  }
  ShapeToProto(module_.shape(computation.root), program->mutable_result());
  return absl::OkStatus();
}

// A constant whose values the text left out has no literal.
absl::Status Builder::BuildConstant(InstructionId id, pb::HloInstructionProto* proto) {
  TESSERA_ASSIGN_OR_RETURN(const Literal literal,
                           ParseLiteral(module_.LiteralText(id), module_.shape(id)));
  const absl::Status stored = LiteralToProto(literal, proto->mutable_literal());
  if (!absl::IsUnimplemented(stored)) return stored;
  proto->clear_literal();
  return absl::OkStatus();
}

absl::Status Builder::BuildInstruction(InstructionId id, pb::HloInstructionProto* proto) {
  const Instruction& instruction = module_.instruction(id);
  proto->set_name(std::string(names_.instructions[id]));
  proto->set_opcode(std::string(OpcodeName(instruction.opcode)));
  proto->set_id(instruction_numbers_[id]);
  ShapeToProto(module_.shape(id), proto->mutable_shape());
  if (instruction.opcode == Opcode::kParameter) {
    proto->set_parameter_number(instruction.parameter_number);
  }
  if (instruction.opcode == Opcode::kConstant) TESSERA_RETURN_IF_ERROR(BuildConstant(id, proto));
  for (InstructionId operand : module_.operands(id)) {
    proto->add_operand_ids(instruction_numbers_[operand]);
  }
  for (InstructionId predecessor : module_.control_predecessors(id)) {
    proto->add_control_predecessor_ids(instruction_numbers_[predecessor]);
  }
  for (ComputationId called : module_.called(id)) {
    proto->add_called_computation_ids(computation_numbers_[called]);
  }
  TESSERA_RETURN_IF_ERROR(AttributesToProto(module_, id, proto));
  const int64_t frame = frames_.FrameOf(id);
  if (proto->has_metadata()) {
    proto->mutable_metadata()->set_stack_frame_id(static_cast<int32_t>(frame));
  }
  return absl::OkStatus();
}

void Builder::BuildSchedule(pb::HloScheduleProto* proto) {
  for (ComputationId c : order_) {
    if (fusion_body_[c]) continue;
    auto& sequence = (*proto->mutable_sequences())[computation_numbers_[c]];
    for (InstructionId id : module_.computation(c).instructions) {
      sequence.add_instruction_ids(instruction_numbers_[id]);
    }
  }
}

// Strings of a proto are UTF-8; those of a text may be anything.
absl::Status CheckUtf8(const Module& module, const pb::HloModuleProto& proto,
                       const std::string& bytes) {
  if (pb::HloModuleProto().ParseFromString(bytes)) return absl::OkStatus();
  constexpr absl::string_view kWhat = "text that is not UTF-8 has no place in binary HLO";
  for (const pb::HloComputationProto& computation : proto.computations()) {
    for (const pb::HloInstructionProto& i : computation.instructions()) {
      if (pb::HloInstructionProto().ParseFromString(i.SerializeAsString())) continue;
      const InstructionId id = module.FindInstruction(i.name());
      const uint32_t place = id == kNoId ? 0 : module.instruction(id).source.begin;
      return text::ErrorAt(place, absl::StrCat(i.opcode(), ": ", kWhat));
    }
  }
  return text::ErrorAt(module.source().begin, kWhat);
}

}  // namespace

absl::StatusOr<std::string> ModuleToProto(const Module& module) {
  pb::HloModuleProto proto;
  TESSERA_RETURN_IF_ERROR(Builder(module).Build(&proto));
  const google::protobuf::LogSilencer no_log;  // the error that is returned has the place
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  proto.SerializeToCodedStream(&out);
  out.Trim();
  TESSERA_RETURN_IF_ERROR(CheckUtf8(module, proto, bytes));
  return bytes;
}

absl::StatusOr<std::string> ModuleToTextProto(const Module& module) {
  pb::HloModuleProto proto;
  TESSERA_RETURN_IF_ERROR(Builder(module).Build(&proto));
  std::string text;
  google::protobuf::TextFormat::PrintToString(proto, &text);
  return text;
}

}  // namespace tessera::hlo
