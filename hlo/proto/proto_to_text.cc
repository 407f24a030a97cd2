// From binary HLO to text.
//
// Every number of the proto becomes a name: operands, callees and control predecessors are looked
// up by id, and everything else is written as it stands. Whether it makes a module is left to the
// reader of text, which has the checks and the messages; only a number that names nothing is
// reported here.
//
// Tested by proto_test.cc: modules go to binary and back.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "google/protobuf/stubs/logging.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/proto/proto_attributes.h"
#include "tessera/hlo/proto/proto_header.h"
#include "tessera/hlo/proto/proto_recovery.h"
#include "tessera/hlo/proto/values/proto_literal.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

template <typename T>
using ById = absl::flat_hash_map<int64_t, const T*>;

class Writer {
 public:
  explicit Writer(const pb::HloModuleProto& module) : module_(module) {}

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

  const pb::HloModuleProto& module_;
  ById<pb::HloComputationProto> computations_;
  ById<pb::HloInstructionProto> instructions_;  // of the computation that is being written
  std::string out_;
};

absl::StatusOr<std::string> Writer::Write() {
  if (module_.debug_attributes_size() > 0) {
    return absl::UnimplementedError("binary HLO with debug_attributes");
  }
  const auto text_of = [](const pb::HloModuleProto& module) { return Writer(module).Write(); };
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

absl::Status Writer::WriteComputation(const pb::HloComputationProto& computation) {
  instructions_.clear();
  for (const pb::HloInstructionProto& i : computation.instructions()) instructions_[i.id()] = &i;
  const bool entry = computation.id() == module_.entry_computation_id();
  absl::StrAppend(&out_, entry ? "ENTRY %" : "%", computation.name(), " {\n");
  TESSERA_ASSIGN_OR_RETURN(const auto order, Order(computation));
  for (const pb::HloInstructionProto* instruction : order) {
    absl::StrAppend(&out_, "  ", instruction->id() == computation.root_id() ? "ROOT " : "");
    if (const absl::Status s = WriteInstruction(*instruction); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("instruction '", instruction->name(), "' of '",
                                                 computation.name(), "': ", s.message()));
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
    return absl::InvalidArgumentError(
        absl::StrCat(instruction.name(), ": unknown opcode ", instruction.opcode()));
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

struct CalledRow {
  Opcode opcode;
  A first, second;
};
constexpr CalledRow kCalledPairs[] = {
    {Opcode::kWhile, A::kBody, A::kCondition},
    {Opcode::kSelectAndScatter, A::kSelect, A::kScatter},
};

// Names of the attributes of `count` callees; one name for all of a list.
std::vector<A> CalledNames(Opcode opcode, int count, bool branches_by_index) {
  for (const CalledRow& row : kCalledPairs) {
    if (row.opcode == opcode) return {row.first, row.second};
  }
  if (opcode == Opcode::kCustomCall) return {A::kCalledComputations};
  if (opcode == Opcode::kConditional && (branches_by_index || count != 2)) {
    return {A::kBranchComputations};
  }
  if (opcode == Opcode::kConditional) return {A::kTrueComputation, A::kFalseComputation};
  for (const OpcodeAttribute& attribute : OpcodeAttributes(opcode)) {
    if (SyntaxOf(attribute.name, opcode) == AttributeSyntax::kComputation) return {attribute.name};
  }
  return {};
}

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
  const std::vector<A> names = CalledNames(opcode, ids.size(), branches_by_index);
  const bool list = names.size() == 1 &&
                    (names[0] == A::kCalledComputations || names[0] == A::kBranchComputations);
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

bool IsModule(const pb::HloModuleProto& module) {
  return module.computations_size() > 0 && module.has_host_program_shape();
}

// Text of a HloModuleProto, as `print --format=textproto` writes it, begins with its name.
constexpr absl::string_view kModuleText = "name: \"", kHloText = "hlo_module {";

bool IsTextProto(absl::string_view text) {
  return absl::StartsWith(text, kModuleText) ||
         (absl::ConsumePrefix(&text, kHloText) &&
          absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), kModuleText));
}

absl::StatusOr<std::string> TextProtoToText(absl::string_view text) {
  pb::HloProto proto;
  text::ProtoPlaces places;
  google::protobuf::Message* message = &proto;
  if (absl::StartsWith(text, kModuleText)) message = proto.mutable_hlo_module();
  TESSERA_RETURN_IF_ERROR(text::ParseTextProto(text, message, &places));
  if (IsModule(proto.hlo_module())) return Writer(proto.hlo_module()).Write();
  return absl::InvalidArgumentError("the text form of no HloProto or HloModuleProto");
}

}  // namespace

absl::StatusOr<std::string> ProtoToText(absl::string_view bytes) {
  if (IsTextProto(bytes)) return TextProtoToText(bytes);
  const int size = static_cast<int>(bytes.size());
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError("binary HLO of more than 2 GiB");
  }
  const google::protobuf::LogSilencer no_log;  // the error that is returned says enough
  pb::HloProto proto;
  if (proto.ParseFromArray(bytes.data(), size) && IsModule(proto.hlo_module())) {
    return Writer(proto.hlo_module()).Write();
  }
  pb::HloModuleProto module;
  if (module.ParseFromArray(bytes.data(), size) && IsModule(module)) {
    return Writer(module).Write();
  }
  pb::HloSnapshot snapshot;
  if (snapshot.ParseFromArray(bytes.data(), size) && IsModule(snapshot.hlo().hlo_module())) {
    return Writer(snapshot.hlo().hlo_module()).Write();
  }
  return absl::InvalidArgumentError(
      "binary, but neither an HloProto nor an HloModuleProto nor an HloSnapshot");
}

bool LooksLikeProto(absl::string_view bytes) {
  constexpr size_t kLooked = 4096;
  if (IsTextProto(bytes)) return true;
  if (bytes.empty() || bytes[0] != '\n') return false;  // field 1, of bytes
  const absl::string_view start = bytes.substr(0, kLooked);
  return std::any_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r');
  });
}

}  // namespace tessera::hlo
