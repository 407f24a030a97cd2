// One instruction: `name = shape opcode(operands), attributes`, the attributes in XLA's order: own
// ones, called computations, then those of every instruction.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/print/attribute_printer.h"
#include "tessera/hlo/print/module_printer.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/hlo/values/value_form.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;

void ModulePrinter::Name(InstructionId id) {
  if (options_.canonical_names) {
    const auto [it, added] = canonical_.try_emplace(id, static_cast<int>(canonical_.size()));
    absl::StrAppend(&out_, "tmp_", it->second);
    return;
  }
  if (options_.percent) out_ += '%';
  out_.append(names_.instructions[id].data(), names_.instructions[id].size());
}

void ModulePrinter::InstructionText(InstructionId id, int indent) {
  Name(id);
  out_ += " = ";
  ShapeText(module_.shape_id(id));
  out_ += ' ';
  OpcodeText(id);
  out_ += '(';
  Operands(id);
  out_ += ')';
  Attributes(id, indent);
}

void ModulePrinter::OpcodeText(InstructionId id) {
  const Opcode opcode = module_.instruction(id).opcode;
  const InstructionId wrapped = SugarOf(id);
  const absl::string_view name =
      OpcodeName(wrapped == kNoId ? opcode : module_.instruction(wrapped).opcode);
  out_.append(name.data(), name.size());
  if (wrapped == kNoId) return;
  out_ += opcode == Opcode::kAsyncStart    ? "-start"
          : opcode == Opcode::kAsyncUpdate ? "-update"
                                           : "-done";
}

bool ModulePrinter::CanBeSugar(ComputationId id) const {
  const Computation& c = module_.computation(id);
  return std::all_of(c.instructions.begin(), c.instructions.end(), [&](InstructionId i) {
    return module_.instruction(i).is_root || module_.instruction(i).opcode == Opcode::kParameter;
  });
}

InstructionId ModulePrinter::SugarOf(InstructionId id) const {
  const auto is_async = [&](InstructionId i) {
    const Opcode opcode = module_.instruction(i).opcode;
    return opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone;
  };
  while (is_async(id)) {
    if (module_.operands(id).empty()) return kNoId;
    id = module_.operands(id)[0];
  }
  if (!options_.async_sugar || module_.instruction(id).opcode != Opcode::kAsyncStart ||
      module_.called(id).empty() || !CanBeSugar(module_.called(id)[0])) {
    return kNoId;
  }
  return module_.computation(module_.called(id)[0]).root;
}

void ModulePrinter::OperandName(InstructionId id) {
  if (!IsCompact(id)) return Name(id);
  OperandName(module_.operands(id)[0]);
  absl::StrAppend(&out_, "#", GetInt(module_, id, A::kIndex).value_or(0));
}

void ModulePrinter::Operands(InstructionId id) {
  const Instruction& i = module_.instruction(id);
  if (i.opcode == Opcode::kParameter) {
    absl::StrAppend(&out_, i.parameter_number);
    return;
  }
  if (i.opcode == Opcode::kConstant) return Constant(id);
  const int interval = options_.operand_index_annotation_interval;
  int place = 0;
  for (InstructionId operand : module_.operands(id)) {
    if (IsOver(id)) return;
    if (place > 0) out_ += ", ";
    if (interval > 0 && place > 0 && place % interval == 0) {
      absl::StrAppend(&out_, "/*index=", place, "*/");
    }
    ++place;
    if (options_.operand_shape) {
      ShapeText(module_.shape_id(operand));
      out_ += ' ';
    }
    OperandName(operand);
  }
}

namespace {

// A table with an element for each of many devices.
bool IsPrintedVector(const layout::Shape& shape, absl::string_view text) {
  if (!shape.is_array() || shape.rank() != 1) return false;
  const layout::ElementType type = shape.element_type();
  return layout::IsInteger(type) && layout::BitWidth(type) >= 32 &&
         IsCanonicalIntVector(text, layout::IsSigned(type));
}

}  // namespace

void ModulePrinter::Constant(InstructionId id) {
  const layout::Shape& shape = module_.shape(id);
  if (IsSmallConstant(shape)) {
    out_ += attribute_texts_.SmallLiteral(id);
    return;
  }
  if (!options_.large_constants) {
    out_ += "{...}";
    return;
  }
  const absl::string_view text = module_.LiteralText(id);
  if (IsPrintedVector(shape, text)) {
    absl::StrAppend(&out_, text);
    return;
  }
  const auto literal = ParseLiteral(text, shape);
  absl::StrAppend(&out_, literal.ok() ? PrintLiteral(*literal) : text);
}

void ModulePrinter::Add(const std::optional<std::string>& attribute) {
  if (attribute.has_value()) absl::StrAppend(&out_, ", ", *attribute);
}

void ModulePrinter::AddNamed(InstructionId id, AttributeName name) {
  const std::string* text = attribute_texts_.Get(id, name);
  if (text == nullptr) return;
  out_ += ", ";
  out_ += *text;
}

void ModulePrinter::AddMetadata(InstructionId id) {
  const auto text = module_.FindAttribute(id, A::kMetadata);
  if (!text.has_value()) return;
  const int64_t frame = frames_.FrameOf(id);
  int64_t written_frame = 0;
  const char* end = PrintedMetadataEnd(text->data(), text->data() + text->size(), &written_frame);
  if (end != nullptr && written_frame == frame) {
    absl::StrAppend(&out_, ", metadata=", *text);
    return;
  }
  const std::string metadata = FormatMetadata(module_, id, frame);
  if (!metadata.empty()) Add(absl::StrCat("metadata=", metadata));
}

void ModulePrinter::Attributes(InstructionId id, int indent) {
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kAsyncStart) {
    Async(id, indent);
  } else if (opcode != Opcode::kAsyncUpdate && opcode != Opcode::kAsyncDone) {
    OpcodeAttributes(id, indent);
    Called(id, indent);
    if (opcode == Opcode::kCall) AddNamed(id, A::kIsComposite);
  }
  Common(id);
}

void ModulePrinter::OpcodeAttributes(InstructionId id, int) {
  const Opcode opcode = module_.instruction(id).opcode;
  for (const OpcodeAttribute& own : hlo::OpcodeAttributes(opcode)) {
    const AttributeSyntax syntax = SyntaxOf(own.name, opcode);
    const bool elsewhere = syntax == AttributeSyntax::kComputation ||
                           syntax == AttributeSyntax::kComputations ||
                           own.name == A::kIsComposite || own.name == A::kResultAccuracy;
    if (!elsewhere) AddNamed(id, own.name);
  }
  AddNamed(id, A::kParameterReplication);
}

// The attributes of the wrapped operation print as the start's own.
void ModulePrinter::Async(InstructionId id, int indent) {
  AddNamed(id, A::kAsyncExecutionThread);
  const InstructionId wrapped = SugarOf(id);
  if (wrapped != kNoId) {
    OpcodeAttributes(wrapped, indent);
    Called(wrapped, indent);
    AddNamed(wrapped, A::kSharding);
    if (!module_.HasAttribute(id, A::kFrontendAttributes)) {
      AddNamed(wrapped, A::kFrontendAttributes);
    }
    if (!module_.HasAttribute(id, A::kStatistics)) AddNamed(wrapped, A::kStatistics);
  }
  AddNamed(id, A::kOutputToOperandAliasing);
  if (wrapped == kNoId || options_.bodies == PrintOptions::Bodies::kFull) Called(id, indent);
}

bool ModulePrinter::HasCommonAttribute(InstructionId id) const {
  for (const Attribute& a : module_.attributes(id)) {
    if ((IsCommonAttribute(a.name()) && a.name() != A::kMetadata) ||
        a.name() == A::kResultAccuracy) {
      return true;
    }
  }
  return !module_.control_predecessors(id).empty();
}

void ModulePrinter::Common(InstructionId id) {
  if (!HasCommonAttribute(id)) {
    if (options_.metadata) AddMetadata(id);
    return;
  }
  AddNamed(id, A::kSharding);
  AddNamed(id, A::kFrontendAttributes);
  const auto predecessors = module_.control_predecessors(id);
  if (options_.control_dependencies && !predecessors.empty()) {
    out_ += ", control-predecessors={";
    for (size_t i = 0; i < predecessors.size(); ++i) {
      if (i > 0) out_ += ", ";
      Name(predecessors[i]);
    }
    out_ += '}';
  }
  AddNamed(id, A::kStatistics);
  AddNamed(id, A::kResultAccuracy);
  AddNamed(id, A::kOrigin);
  if (options_.metadata) AddMetadata(id);
  AddNamed(id, A::kBackendConfig);
}

}  // namespace tessera::hlo
