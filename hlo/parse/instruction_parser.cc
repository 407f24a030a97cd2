// One instruction: `ROOT name = shape opcode(operands), attributes`. Operands are read in
// operand_parser.cc, attributes in attribute_parser.cc.

#include <utility>

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/parse/native_async.h"
#include "tessera/hlo/parse/recovery/hints.h"
#include "tessera/hlo/shape_inference.h"
#include "tessera/hlo/unique_names.h"

namespace tessera::hlo {
namespace {

// Of a single instruction without a name; after it stands what a hash reads.
constexpr char kNameless[16] = "_";

// Only a name of a type or one with two underscores in front can be refused; names of types are
// short and begin with one of few letters.
bool MayBeIllegal(absl::string_view name) {
  constexpr size_t kLongestTypeName = 14;
  if (name[0] == '_') return true;
  size_t last = name.size() - 1;  // most names end with a point and a number
  while (last > 0 && HasClass(name[last], kDigitChar)) --last;
  if (name[last] == '.') return false;
  return name.size() <= kLongestTypeName &&
         absl::string_view("bcfopstu").find(name[0]) != absl::string_view::npos &&
         name.find('.') == absl::string_view::npos;
}

// XLA's order, see Module::called.
absl::InlinedVector<ComputationId, 4> OrderedCallees(const ParsedInstruction& d) {
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

}  // namespace

bool ModuleParser::ReadInstruction() {
  StraightLine line;
  if (straight_ && ReadStraightFront(line)) return ReadStraightBack(line);
  return ReadByGrammar();
}

// `s1 = ..` and `token = ..`: as names, such words need the sign.
bool ModuleParser::FailAtName() {
  const char* const at = in_.at();
  absl::string_view word;
  const bool is_word = in_.ReadWord(&word) && in_.Peek() == '=';
  in_.Rewind(at);
  if (!is_word) {
    return in_.Fail("expected the name of an instruction, or '}' to end the computation");
  }
  scope().poisoned.insert(word);
  return in_.Fail(absl::StrCat("'", word, "' is a type or keyword of HLO; as a name, write it %",
                               word, ", here and where it is read"));
}

bool ModuleParser::ReadByGrammar() {
  ParsedInstruction d;
  d.begin = in_.at();
  d.root = in_.Peek() == 'R' && in_.EatWord("ROOT");
  d.name_at = in_.at();
  const bool nameless = single_ && depth_ == 1 && ShapeCache::Starts(in_);
  if (nameless) {
    d.name = absl::string_view(kNameless, 1);
  } else if (!in_.ReadName(&d.name)) {
    return FailAtName();
  } else if (!in_.Eat('=')) {
    scope().poisoned.insert(d.name);
    return in_.Fail("expected '=' after the name of an instruction");
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
  return Register({d.name, d.name_at, scope().names.HashOf(d.name), d.root}, id);
}

// `shape opcode`, up to the bracket.
bool ModuleParser::ReadHead(ParsedInstruction& d) {
  const absl::string_view text = KnownHeads::Guess(in_.Rest());
  if (const KnownHeads::Head* head = known_heads_.Find(text); head != nullptr) {
    d.has_shape = true;
    d.shape = head->shape;
    d.opcode = head->opcode;
    d.form.Append(head->form);
    d.open = text.data() + text.size();
    in_.AdvanceTo(d.open);
    return true;
  }
  const CanonicalFormTracker before = std::exchange(d.form, CanonicalFormTracker::OfPart());
  const bool good = ReadNewHead(d);
  const CanonicalFormTracker form = std::exchange(d.form, before);
  d.form.Append(form);
  const bool is_text = good && !text.empty() && d.open == text.data() + text.size();
  if (is_text && d.has_shape && d.sugar == AsyncStage::kNone) {
    AddKnownHead(text, d, form);
  }
  return good;
}

void ModuleParser::AddKnownHead(absl::string_view text, const ParsedInstruction& d,
                                const CanonicalFormTracker& form) {
  KnownHeads::Head head;
  head.shape = d.shape;
  head.opcode = d.opcode;
  head.form = form;
  head.is_straight = d.opcode != Opcode::kConstant && d.opcode != Opcode::kConditional &&
                     d.opcode != Opcode::kAsyncStart && !kPlainOfDone.Contains(d.opcode);
  head.has_check = CheckOf(d.opcode) != nullptr;
  head.operand_count = GetOpcodeInfo(d.opcode).operand_count;
  head.no_attributes = FactsOfList(d.opcode, {}, form);
  known_heads_.Add(text, head);
}

bool ModuleParser::ReadNewHead(ParsedInstruction& d) {
  if (ShapeCache::Starts(in_)) {
    d.has_shape = true;
    if (!shapes_.Read(in_, &d.shape)) return false;
  }
  d.form.Shape(d.has_shape && shapes_.last_is_printed(), in_.last_end(), in_.at());
  if (!ReadOpcode(d)) return false;
  if (kPlainOfStart.Contains(d.opcode)) NoteWrappedStart(d);
  const bool can_infer =
      GetOpcodeInfo(d.opcode).shape_can_be_inferred && d.sugar == AsyncStage::kNone;
  if (!d.has_shape && !can_infer) {
    return in_.Fail(absl::StrCat("the shape of ", OpcodeName(d.opcode),
                                 " cannot be inferred; write it before the opcode"));
  }
  d.open = in_.at();
  if (in_.Peek() != '(') return in_.Fail("expected '(' to start the operands");
  d.form.Joined(in_.last_end(), d.open);
  return true;
}

bool ModuleParser::ReadRightSide(ParsedInstruction& d, InstructionId* id) {
  return ReadHead(d) && ReadOperands(d) && ReadAfterOperands(d, id);
}

bool ModuleParser::ReadAfterOperands(ParsedInstruction& d, InstructionId* id) {
  if (kPlainOfDone.Contains(d.opcode)) NoteWrappedDone(d);
  d.attributes_at = in_.last_end();
  if (!CheckOperandCount(d)) return false;
  if (d.opcode == Opcode::kConditional && !CheckConditionalIndex(d)) return false;
  if (!ReadAttributes(d) || !CheckRequired(d)) return false;
  if (d.sugar != AsyncStage::kNone) return AddAsyncSugar(d, id);
  *id = AddDraft(d);
  return CheckOpcode(*id, d) && (d.has_shape || InferShape(*id, d));
}

bool ModuleParser::ReadOpcode(ParsedInstruction& d) {
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
  if (in_.PeekType()) return in_.ReadWord(&word) && in_.Fail("expected '[' after a type");
  if (!in_.ReadIdentifier(&word)) return in_.Fail("expected an opcode");
  if (ReadAsyncSugar(word, d)) return true;
  return in_.FailAt(at, absl::StrCat("unknown opcode '", word, "'", NearestOpcode(word)));
}

InstructionId ModuleParser::AddDraft(ParsedInstruction& d) {
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
  if (d.sugar == AsyncStage::kNone) {
    module_.instructions_[id].form = d.form.Finish(d.opcode);
    module_.instructions_[id].attributes_alike = d.attributes_alike;
  }
  if (d.opcode == Opcode::kParameter) AddParameter(i.parameter_number, id);
  return id;
}

void ModuleParser::AddParameter(uint32_t number, InstructionId id) {
  std::vector<InstructionId>& parameters = scope().parameters;
  if (parameters.size() <= number) parameters.resize(number + 1, kNoId);
  parameters[number] = id;
}

bool ModuleParser::InferShape(InstructionId id, const ParsedInstruction& d) {
  absl::StatusOr<layout::Shape> shape = InferResultShape(module_, id);
  if (!shape.ok()) {
    return in_.FailAfter(absl::StrCat("the shape of this ", OpcodeName(d.opcode),
                                      " cannot be inferred: ", shape.status().message()));
  }
  module_.SetShape(id, *shape);
  return true;
}

bool ModuleParser::Register(const InstructionName& name, InstructionId id) {
  if (MayBeIllegal(name.text) && !single_) {
    const std::string good = SanitizeName(name.text);
    if (good != name.text) {
      return in_.FailAt(name.at, absl::StrCat("an instruction cannot be called '", name.text,
                                              "'; '", good, "' would do"));
    }
  }
  Scope& s = scope();
  const auto name_of = [this](InstructionId i) { return module_.instructions_[i].name; };
  if (!s.names.AddNew(name.text, name.hash, id, name_of)) {
    return in_.FailAt(name.at, absl::StrCat("second instruction with the name '", name.text, "'"));
  }
  s.instructions.push_back(id);
  if (name.is_root) s.root = id;
  return true;
}

}  // namespace tessera::hlo
