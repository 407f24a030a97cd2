// The parser of operands: the text between the round brackets of an instruction.
//
// An operand is tried as a reference first. When that fails for any reason the same text is tried
// as a nested instruction, which has no name and no attributes. Both attempts failing is one
// mistake at the start of the operand.

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/values/literal_reader.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

constexpr int kMaxNested = 1000;

}  // namespace

bool ModuleParser::ReadOperands(ParsedInstruction& d) {
  if (d.sugar != AsyncStage::kNone) return ReadOperandList(d);
  if (d.opcode == Opcode::kParameter) return ReadParameterNumber(d);
  if (d.opcode == Opcode::kConstant) return ReadConstant(d);
  return ReadOperandList(d);
}

bool ModuleParser::ReadOperandList(ParsedInstruction& d) {
  in_.Eat('(');
  const char* due = d.open + 1;
  if (in_.Peek() != ')') {
    do {
      const char* begin = in_.at();
      if (!ReadOperand(d)) return false;
      const absl::string_view name = module_.instructions_[d.operands.back()].name;
      d.form.Operand(due, begin, name.size(), in_.at());
      due = d.form.ExpectedStart(in_.at(), d.operands.size());
    } while (in_.Eat(','));
  } else {
    d.form.Joined(due, in_.at());
  }
  d.close = in_.at();
  return in_.Expect(')', "to end the operands");
}

bool ModuleParser::ReadOperand(ParsedInstruction& d) {
  const char* at = in_.at();
  InstructionId id = kNoId;
  if (!ReadPlainReference(&id) && !ReadReference(&id)) {
    const std::string reason = in_.error().message;
    const bool cascading = cascading_;
    in_.ClearError();
    in_.Rewind(at);
    if (!ReadNested(&id)) {
      if (too_deep_) return false;
      in_.ClearError();
      cascading_ |= cascading;
      return in_.FailAt(at, reason);
    }
  }
  d.operands.push_back(id);
  return true;
}

// `%name` and nothing else, which most operands are. Moves only if it succeeds.
bool ModuleParser::ReadPlainReference(InstructionId* id) {
  const absl::string_view rest = in_.Rest();
  if (in_.Peek() != '%' || !HasClass(in_.at()[1], kNameStart)) return false;
  const char* const end = NameCharsEnd(in_.at() + 1, rest.end());
  if (end == rest.end() || (*end != ',' && *end != ')')) return false;
  const absl::string_view name(in_.at() + 1, static_cast<size_t>(end - in_.at() - 1));
  *id = FindInstruction(name);
  if (*id == kNoId) return false;
  in_.AdvanceTo(end);
  return true;
}

bool ModuleParser::ReadReference(InstructionId* id) {
  ShapeId shape = 0;
  const char* at = in_.at();
  const bool has_shape = in_.Peek() != '%' && ShapeCache::Starts(in_);
  if (has_shape && !shapes_.Read(in_, &shape)) {
    const absl::string_view word(at, static_cast<size_t>(NameCharsEnd(at, in_.Rest().end()) - at));
    cascading_ |= scope().poisoned.contains(word);
    return false;
  }
  absl::string_view name;
  if (single_ && has_shape && (in_.Peek() == ',' || in_.Peek() == ')')) {
    return ReadUnnamedOperand(shape, id);
  }
  if (!in_.ReadName(&name)) return in_.Fail("expected the name of an earlier instruction");
  Scope& s = scope();
  *id = FindInstruction(name);
  if (*id == kNoId) {
    if (single_ && has_shape && depth_ == 1) {
      if (in_.Peek() != ',' && in_.Peek() != ')') return in_.Fail("expected ',' or ')'");
      Instruction i;
      i.name = name;
      i.shape = shape;
      i.parameter_number = static_cast<uint32_t>(s.parameters.size());
      *id = AddImplied(i, {});
      s.parameters.push_back(*id);
      s.names.AddNew(name, s.names.HashOf(name), *id,
                     [this](InstructionId i) { return module_.instructions_[i].name; });
      return true;
    }
    cascading_ |= s.poisoned.contains(name);
    return in_.FailAt(
        at, absl::StrCat("there is no instruction '", name, "' before this line of the computation",
                         single_ ? " and it has no shape" : ""));
  }
  if (in_.Peek() == '#' && !ReadElementPath(id)) return false;
  if (has_shape && !CheckOperandShape(shape, *id, at)) return false;
  return in_.Peek() == ',' || in_.Peek() == ')' || in_.Fail("expected ',' or ')' after an operand");
}

bool ModuleParser::CheckOperandShape(ShapeId written, InstructionId id, const char* at) {
  if (written == module_.shape_id(id)) return true;
  const layout::Shape& shape = module_.interned_shape(written);
  if (layout::Compatible(shape, module_.shape(id))) return true;
  return in_.FailAt(at, absl::StrCat("the operand is written as ", layout::ShapeToString(shape),
                                     " but '", module_.instruction(id).name, "' is ",
                                     layout::ShapeToString(module_.shape(id))));
}

bool ModuleParser::ReadUnnamedOperand(ShapeId shape, InstructionId* id) {
  Scope& s = scope();
  Instruction i;
  i.name = module_.Keep(absl::StrCat("_", s.parameters.size()));
  i.shape = shape;
  i.parameter_number = static_cast<uint32_t>(s.parameters.size());
  *id = AddImplied(i, {});
  s.parameters.push_back(*id);
  return true;
}

// `x#1#0`: elements of a tuple, made once per computation.
bool ModuleParser::ReadElementPath(InstructionId* id) {
  while (in_.Peek() == '#') {
    in_.Eat('#');
    const char* at = in_.at();
    int64_t index = 0;
    if (!in_.ExpectInt(&index)) return false;
    const layout::Shape& shape = module_.shape(*id);
    if (!shape.is_tuple() || index < 0 ||
        index >= static_cast<int64_t>(shape.tuple_elements().size())) {
      return in_.FailAt(at, absl::StrCat(layout::ShapeToString(shape), " has no element ", index));
    }
    *id = AddElement(*id, index);
  }
  return true;
}

InstructionId ModuleParser::AddElement(InstructionId tuple, int64_t index) {
  const auto [it, added] = scope().elements.try_emplace({tuple, index}, kNoId);
  if (!added) return it->second;
  Instruction i;
  i.name = module_.Keep(absl::StrCat(module_.instruction(tuple).name, "_", index));
  i.opcode = Opcode::kGetTupleElement;
  i.shape = module_.InternShape(module_.shape(tuple).tuple_elements()[index]);
  it->second = AddImplied(i, {tuple});
  module_.SetAttribute(it->second, AttributeName::kIndex, absl::StrCat(index));
  return it->second;
}

InstructionId ModuleParser::AddImplied(Instruction i, absl::Span<const InstructionId> operands) {
  i.is_implied = true;
  i.computation = scope().expected_id;
  i.operands = module_.PutIds(operands);
  const InstructionId id = module_.AddDetached(i);
  scope().instructions.push_back(id);
  return id;
}

bool ModuleParser::ReadNested(InstructionId* id) {
  ParsedInstruction d;
  d.begin = d.name_at = in_.at();
  const int outer_nesting = nesting_;
  if (outer_nesting >= kMaxNested) {
    too_deep_ = true;
    return in_.Fail(absl::StrCat("instructions are nested deeper than ", kMaxNested));
  }
  nesting_ = outer_nesting + 1;
  const auto read = [&] {
    if (ShapeCache::Starts(in_)) {
      d.has_shape = true;
      if (!shapes_.Read(in_, &d.shape)) return false;
    }
    if (!ReadOpcode(d) || d.sugar != AsyncStage::kNone || in_.Peek() != '(') return false;
    if (!d.has_shape && !GetOpcodeInfo(d.opcode).shape_can_be_inferred) return false;
    d.open = in_.at();
    if (!ReadOperands(d) || !CheckOperandCount(d)) return false;
    if (d.opcode == Opcode::kConditional && !CheckConditionalIndex(d)) return false;
    if (!CheckRequired(d)) return false;
    d.attributes_at = in_.last_end();
    *id = AddDraft(d);
    return CheckOpcode(*id, d) && (d.has_shape || InferShape(*id, d));
  };
  const bool good = read() && (in_.Peek() == ',' || in_.Peek() == ')');
  nesting_ = outer_nesting;
  if (!good) return in_.Fail("not a nested instruction");
  Instruction& i = module_.mutable_instruction(*id);
  i.name = module_.Keep(absl::StrCat(OpcodeName(d.opcode), ".anon"));
  i.is_implied = true;
  scope().instructions.push_back(*id);
  return true;
}

bool ModuleParser::ReadParameterNumber(ParsedInstruction& d) {
  in_.Eat('(');
  if (!in_.ExpectInt(&d.parameter_number)) return false;
  std::vector<InstructionId>& parameters = scope().parameters;
  const int64_t n = d.parameter_number;
  if (n < 0) return in_.Fail("a parameter number is not negative");
  if (n < static_cast<int64_t>(parameters.size()) && parameters[n] != kNoId) {
    return in_.Fail(absl::StrCat("second parameter with the number ", n));
  }
  const int64_t ahead = n - static_cast<int64_t>(parameters.size());
  if (ahead > MostAhead()) return in_.Fail("parameter numbers have a gap");
  d.close = in_.at();
  d.form.Parameter(static_cast<uint32_t>(n), d.open, d.close);
  return in_.Expect(')', "after the parameter number");
}

// How far a parameter number may be ahead of those before it: with more than the input can have, the
// numbering cannot be dense. Each number costs its size; a text in which mistakes were found already
// cannot ask for that in each computation.
int64_t ModuleParser::MostAhead() const {
  constexpr int64_t kFew = 4096;
  return diagnostics_->ok() ? static_cast<int64_t>(source_->text().size()) : kFew;
}

bool ModuleParser::ReadConstant(ParsedInstruction& d) {
  in_.Eat('(');
  const char* begin = in_.at();
  const layout::Shape& shape = module_.interned_shape(d.shape);
  if (!ReadLiteral(in_, shape, nullptr)) return false;
  if (HasStoredShape(shape)) {
    d.shape = module_.InternShape(StoredShape(shape));
    d.form.Shape(false, d.open, d.open);
  }
  d.literal = in_.TextFrom(begin);
  d.close = in_.at();
  d.form.Literal(d.literal, d.open, d.close);
  return in_.Expect(')', "after the literal");
}

bool ModuleParser::CheckOperandCount(const ParsedInstruction& d) {
  int wanted = GetOpcodeInfo(d.opcode).operand_count;
  if (d.sugar == AsyncStage::kUpdate || d.sugar == AsyncStage::kDone) wanted = kVariadicOperands;
  const int count = static_cast<int>(d.operands.size());
  if (wanted == kVariadicOperands || wanted == count) return true;
  if (d.sugar == AsyncStage::kStart && count < wanted) return true;  // bound by an update
  return in_.FailAt(
      d.open, absl::StrCat(OpcodeName(d.opcode), " takes ", wanted, " operands, got ", count));
}

}  // namespace tessera::hlo
