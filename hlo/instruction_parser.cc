// One instruction: `ROOT name = shape opcode(operands), attributes`.
//
// An operand is tried as a reference first; when that fails for any reason the same text is tried
// as a nested instruction, which has no name and no attributes. Both attempts failing is one
// mistake at the start of the operand.

#include "absl/strings/str_replace.h"
#include "tessera/hlo/hash.h"
#include "tessera/hlo/literal_reader.h"
#include "tessera/hlo/module_parser.h"
#include "tessera/hlo/near_name.h"
#include "tessera/hlo/shape_inference.h"
#include "tessera/hlo/unique_names.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

constexpr int kMostNested = 1000;

// Only a name of a type or one with two underscores in front can be refused; names of types are
// short and begin with one of few letters.
bool MayBeIllegal(absl::string_view name) {
  constexpr size_t kLongestTypeName = 14;
  if (name[0] == '_') return true;
  return name.size() <= kLongestTypeName &&
         absl::string_view("bcfopstu").find(name[0]) != absl::string_view::npos &&
         name.find('.') == absl::string_view::npos;
}

// XLA's order, see Module::called.
absl::InlinedVector<ComputationId, 4> OrderedCallees(const Draft& d) {
  using A = AttributeName;
  const auto is_first = [](A name) {
    return name == A::kBody || name == A::kSelect || name == A::kTrueComputation;
  };
  absl::InlinedVector<ComputationId, 4> ids;
  const bool only_to_apply = d.opcode == Opcode::kCustomCall && d.Has(A::kToApply);
  for (const auto& [name, id] : d.called) {
    if (is_first(name)) ids.push_back(id);
  }
  for (const auto& [name, id] : d.called) {
    if (!is_first(name) && (!only_to_apply || name == A::kToApply)) ids.push_back(id);
  }
  return ids;
}

std::string NearestOpcode(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < kNumOpcodes; ++i) names.push_back(OpcodeName(static_cast<Opcode>(i)));
  return DidYouMean(word, names);
}

}  // namespace

bool ModuleParser::ReadInstruction() {
  Draft d;
  d.begin = in_.at();
  d.root = in_.Peek() == 'R' && in_.EatWord("ROOT");
  d.name_at = in_.at();
  const bool nameless = single_ && depth_ == 1 && ShapeCache::Starts(in_);
  if (nameless) {
    d.name = "_";
  } else if (!in_.ReadName(&d.name)) {
    return in_.Fail("expected the name of an instruction, or '}' to end the computation");
  } else if (!in_.Eat('=')) {
    scope().poisoned.insert(d.name);
    return in_.Fail("expected '=' behind the name of an instruction");
  }
  if (d.root && scope().root != kNoId) {
    return in_.FailAt(d.begin, "a computation has only one ROOT");
  }
  d.form.Name(d.begin, d.root, d.name, in_.at());
  InstructionId id = kNoId;
  if (!ReadRightSide(d, &id)) {
    if (!d.name.empty()) scope().poisoned.insert(d.name);
    return false;
  }
  return Register(d, id);
}

bool ModuleParser::ReadRightSide(Draft& d, InstructionId* id) {
  if (ShapeCache::Starts(in_)) {
    d.has_shape = true;
    if (!shapes_.Read(in_, &d.shape)) return false;
  }
  d.form.Shape(d.has_shape && shapes_.last_is_printed(), in_.last_end(), in_.at());
  if (!ReadOpcode(d)) return false;
  const bool can_infer =
      GetOpcodeInfo(d.opcode).shape_can_be_inferred && d.sugar == AsyncStage::kNone;
  if (!d.has_shape && !can_infer) {
    return in_.Fail(absl::StrCat("the shape of ", OpcodeName(d.opcode),
                                 " cannot be inferred; write it in front of the opcode"));
  }
  d.open = in_.at();
  if (in_.Peek() != '(') return in_.Fail("expected '(' to start the operands");
  d.form.Joined(in_.last_end(), d.open);
  if (!ReadOperands(d)) return false;
  d.attributes_at = in_.at();
  if (!CheckOperandCount(d)) return false;
  if (d.opcode == Opcode::kConditional && !CheckConditionalIndex(d)) return false;
  if (!ReadAttributes(d) || !CheckRequired(d)) return false;
  if (d.sugar != AsyncStage::kNone) return AddAsyncSugar(d, id);
  *id = AddDraft(d);
  return CheckOpcode(*id, d) && (d.has_shape || InferShape(*id, d));
}

bool ModuleParser::ReadOpcode(Draft& d) {
  const char* at = in_.at();
  absl::string_view word;
  // No type and no keyword is an opcode, so that the word needs no look at those.
  if (in_.ReadWord(&word)) {
    if (const auto opcode = OpcodeFromName(word); opcode.has_value()) {
      d.opcode = *opcode;
      return true;
    }
  }
  in_.Rewind(at);
  if (in_.PeekType()) return in_.ReadWord(&word) && in_.Fail("expected '[' behind a type");
  if (!in_.ReadIdentifier(&word)) return in_.Fail("expected an opcode");
  if (ReadAsyncSugar(word, d)) return true;
  return in_.FailAt(at, absl::StrCat("unknown opcode '", word, "'", NearestOpcode(word)));
}

bool ModuleParser::ReadOperands(Draft& d) {
  if (d.sugar != AsyncStage::kNone) return ReadOperandList(d);
  if (d.opcode == Opcode::kParameter) return ReadParameterNumber(d);
  if (d.opcode == Opcode::kConstant) return ReadConstant(d);
  return ReadOperandList(d);
}

bool ModuleParser::ReadOperandList(Draft& d) {
  in_.Eat('(');
  const char* due = d.open + 1;
  if (in_.Peek() != ')') {
    do {
      const char* begin = in_.at();
      if (!ReadOperand(d)) return false;
      const absl::string_view name = module_.instructions_[d.operands.back()].name;
      d.form.Operand(due, begin, name.size(), in_.at());
      due = d.form.Due(in_.at(), d.operands.size());
    } while (in_.Eat(','));
  } else {
    d.form.Joined(due, in_.at());
  }
  d.close = in_.at();
  return in_.Expect(')', "to end the operands");
}

bool ModuleParser::ReadOperand(Draft& d) {
  const char* at = in_.at();
  InstructionId id = kNoId;
  if (!ReadReference(&id)) {
    const std::string reason = in_.error().message;
    const bool cascading = cascading_;
    in_.ClearError();
    in_.Rewind(at);
    if (!ReadNested(&id)) {
      in_.ClearError();
      cascading_ |= cascading;
      return in_.FailAt(at, reason);
    }
  }
  d.operands.push_back(id);
  return true;
}

bool ModuleParser::ReadReference(InstructionId* id) {
  ShapeId shape = 0;
  const char* at = in_.at();
  const bool has_shape = in_.Peek() != '%' && ShapeCache::Starts(in_);
  if (has_shape && !shapes_.Read(in_, &shape)) return false;
  absl::string_view name;
  if (single_ && has_shape && (in_.Peek() == ',' || in_.Peek() == ')')) {
    return ReadUnnamedOperand(shape, id);
  }
  if (!in_.ReadName(&name)) return in_.Fail("expected the name of an earlier instruction");
  Scope& s = scope();
  *id = FindInstruction(name, HashText(name));
  if (*id == kNoId) {
    if (single_ && has_shape && depth_ == 1) {
      if (in_.Peek() != ',' && in_.Peek() != ')') return in_.Fail("expected ',' or ')'");
      Instruction i;
      i.name = name;
      i.shape = shape;
      i.parameter_number = static_cast<uint32_t>(s.parameters.size());
      *id = AddImplied(i, {});
      s.parameters.push_back(*id);
      s.names.Add(HashText(name), *id);
      return true;
    }
    cascading_ |= s.poisoned.contains(name);
    return in_.FailAt(
        at, absl::StrCat("there is no instruction '", name, "' before this line of the computation",
                         single_ ? " and it has no shape" : ""));
  }
  if (in_.Peek() == '#' && !ReadElementPath(id, name)) return false;
  if (has_shape && !CheckOperandShape(shape, *id, at)) return false;
  return in_.Peek() == ',' || in_.Peek() == ')' ||
         in_.Fail("expected ',' or ')' behind an operand");
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
bool ModuleParser::ReadElementPath(InstructionId* id, absl::string_view name) {
  std::string path(name);
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
  Draft d;
  d.begin = d.name_at = in_.at();
  const int outer_nesting = nesting_;
  if (outer_nesting >= kMostNested) return in_.Fail("instructions are nested too deeply");
  nesting_ = outer_nesting + 1;
  const auto read = [&] {
    if (ShapeCache::Starts(in_)) {
      d.has_shape = true;
      if (!shapes_.Read(in_, &d.shape)) return false;
    }
    if (!ReadOpcode(d) || d.sugar != AsyncStage::kNone || in_.Peek() != '(') return false;
    if (!d.has_shape && !GetOpcodeInfo(d.opcode).shape_can_be_inferred) return false;
    d.open = in_.at();
    if (!ReadOperands(d) || !CheckOperandCount(d) || !CheckRequired(d)) return false;
    d.attributes_at = in_.at();
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

bool ModuleParser::ReadParameterNumber(Draft& d) {
  in_.Eat('(');
  if (!in_.ExpectInt(&d.parameter_number)) return false;
  std::vector<InstructionId>& parameters = scope().parameters;
  const int64_t n = d.parameter_number;
  if (n < 0) return in_.Fail("a parameter number is not negative");
  if (n < static_cast<int64_t>(parameters.size()) && parameters[n] != kNoId) {
    return in_.Fail(absl::StrCat("second parameter with the number ", n));
  }
  // A number beyond all bytes left means a gap for sure.
  if (n > static_cast<int64_t>(source_->text().size())) {
    return in_.Fail("parameter numbers have a gap");
  }
  d.close = in_.at();
  d.form.Parameter(static_cast<uint32_t>(n), d.open, d.close);
  return in_.Expect(')', "behind the parameter number");
}

bool ModuleParser::ReadConstant(Draft& d) {
  in_.Eat('(');
  const char* begin = in_.at();
  if (!ReadLiteral(in_, module_.interned_shape(d.shape), nullptr)) return false;
  d.literal = in_.TextFrom(begin);
  d.close = in_.at();
  d.form.Literal(d.literal, d.open, d.close);
  return in_.Expect(')', "behind the literal");
}

bool ModuleParser::CheckOperandCount(const Draft& d) {
  int wanted = GetOpcodeInfo(d.opcode).operand_count;
  if (d.sugar == AsyncStage::kUpdate || d.sugar == AsyncStage::kDone) wanted = kVariadicOperands;
  const int count = static_cast<int>(d.operands.size());
  if (wanted == kVariadicOperands || wanted == count) return true;
  if (d.sugar == AsyncStage::kStart && count < wanted) return true;  // bound by an update
  return in_.FailAt(
      d.open, absl::StrCat(OpcodeName(d.opcode), " takes ", wanted, " operands, got ", count));
}

InstructionId ModuleParser::AddDraft(Draft& d) {
  Instruction i;
  i.name = d.name;
  i.opcode = d.opcode;
  i.has_written_shape = d.has_shape;
  i.computation = scope().expected_id;
  i.shape = d.shape;
  i.parameter_number = static_cast<uint32_t>(d.parameter_number);
  i.operands = module_.PutIds(d.operands);
  i.source = {in_.OffsetOf(d.begin), in_.last_end_offset()};
  i.operands_open = in_.OffsetOf(d.open);
  i.operands_close = in_.OffsetOf(d.close);
  if (d.opcode == Opcode::kConstant) i.literal = module_.PutLiteral(d.literal);
  if (!d.attributes.empty()) i.attributes = module_.PutAttributes(d.attributes);
  if (!d.control_predecessors.empty()) {
    i.control_predecessors = module_.PutIds(d.control_predecessors);
  }
  if (!d.called.empty()) {
    i.called = module_.PutIds(OrderedCallees(d));
  }
  has_async_start_ |= d.opcode == Opcode::kAsyncStart;
  const InstructionId id = module_.AddDetached(i);
  if (d.sugar == AsyncStage::kNone) module_.instructions_[id].form = d.form.Finish(d.opcode);
  if (d.opcode == Opcode::kParameter) {
    std::vector<InstructionId>& parameters = scope().parameters;
    if (parameters.size() <= i.parameter_number) parameters.resize(i.parameter_number + 1, kNoId);
    parameters[i.parameter_number] = id;
  }
  return id;
}

bool ModuleParser::InferShape(InstructionId id, const Draft& d) {
  absl::StatusOr<layout::Shape> shape = InferResultShape(module_, id);
  if (!shape.ok()) {
    return in_.Fail(absl::StrCat("the shape of this ", OpcodeName(d.opcode),
                                 " cannot be inferred: ", shape.status().message()));
  }
  module_.SetShape(id, *shape);
  return true;
}

bool ModuleParser::Register(const Draft& d, InstructionId id) {
  if (MayBeIllegal(d.name) && !single_) {
    const std::string good = SanitizeName(d.name);
    if (good != d.name) {
      return in_.FailAt(d.name_at, absl::StrCat("an instruction cannot be called '", d.name, "'; '",
                                                good, "' would do"));
    }
  }
  Scope& s = scope();
  const uint32_t hash = HashText(d.name);
  if (FindInstruction(d.name, hash) != kNoId) {
    return in_.FailAt(d.name_at, absl::StrCat("second instruction with the name '", d.name, "'"));
  }
  s.names.Add(hash, id);
  s.instructions.push_back(id);
  if (d.root) s.root = id;
  return true;
}

}  // namespace tessera::hlo
