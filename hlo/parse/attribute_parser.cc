// `, name=value` after the operands of an instruction.

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/values/literal_reader.h"
#include "tessera/hlo/values/value_form.h"
#include "tessera/hlo/values/values.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/near_names.h"

namespace tessera::hlo {

using A = AttributeName;
using S = AttributeSyntax;

namespace {

// Of metadata that is printed as it is written.
SpellingState FormWithFrame(int64_t frame) {
  return frame == 0 ? SpellingState::kPrinted : SpellingState::kValues;
}

SpellingState FormOfMetadata(absl::string_view text) {
  int64_t frame = 0;
  const char* const end = PrintedMetadataEnd(text.data(), text.end(), &frame);
  return end == text.end() ? FormWithFrame(frame) : SpellingState::kOther;
}

}  // namespace

bool ModuleParser::ReadAttributes(ParsedInstruction& d) {
  const char* const begin = in_.last_end();
  if (in_.Peek() != ',') {
    d.attributes_alike = KnownAttributes::kNothing;
  } else if (in_.at() == begin) {
    const KnownAttributes::Guessed guess = KnownAttributes::Guess(in_.Rest());
    // Attributes that depend on more than opcode and text are read each time.
    const bool is_plain = d.sugar == AsyncStage::kNone && d.opcode != Opcode::kConditional;
    const bool good = is_plain && !guess.list.empty() ? ReadAttributeList(guess, d)
                                                      : ReadAttributesUntil(guess.list.end(), d);
    if (!good) return false;
    if (guess.before_metadata) {
      if (guess.list.empty()) d.attributes_alike = KnownAttributes::kNothing;
      ReadPrintedMetadata(guess.list.end(), d);
    } else if (in_.Peek() == ',') {  // more on the next line
      d.attributes_alike = 0;
    }
  }
  return ReadAttributesUntil(nullptr, d);
}

// `guess` may be the list that begins here.
bool ModuleParser::ReadAttributeList(const KnownAttributes::Guessed& guess, ParsedInstruction& d) {
  const char* const end = guess.list.end();
  const KnownAttributes::List* list = known_attributes_.Find(d.opcode, guess);
  if (list != nullptr && guess.repeats()) {
    known_attributes_.ForEach(*list, guess, [&](const Attribute& a) { d.attributes.push_back(a); });
    d.seen = list->names;
    d.form.Append(list->form);
    d.attributes_alike = known_attributes_.NumberOf(*list);
    in_.AdvanceTo(end);
    return true;
  }
  const CanonicalFormTracker before = std::exchange(d.form, CanonicalFormTracker::OfPart());
  const bool good = ReadAttributesUntil(end, d);
  const CanonicalFormTracker form = std::exchange(d.form, before);
  d.form.Append(form);
  const bool names_callee = d.called.size() == (guess.callee.empty() ? 0 : 1);
  if (good && list == nullptr && in_.last_end() == end && names_callee &&
      d.control_predecessors.empty()) {
    list = known_attributes_.Add(d.opcode, guess, d.attributes, d.seen, form);
  }
  if (list != nullptr && guess.repeats()) d.attributes_alike = known_attributes_.NumberOf(*list);
  return good;
}

// The attributes that begin before `end`; all if that is null.
bool ModuleParser::ReadAttributesUntil(const char* end, ParsedInstruction& d) {
  const char* last = in_.last_end();
  const char* comma = in_.at();
  while ((end == nullptr || comma < end) && in_.Eat(',')) {
    d.form.Comma(last, comma, in_.at());
    if (!ReadAttribute(d)) return false;
    last = in_.last_end();
    comma = in_.at();
  }
  return true;
}

// Most metadata is in the form in which it is printed; one look then does for reading it. `comma`:
// that of `, metadata={`. Reads nothing if the reader is elsewhere, or the metadata something else.
void ModuleParser::ReadPrintedMetadata(const char* comma, ParsedInstruction& d) {
  constexpr size_t kNameSize = 8;
  if (in_.last_end() != comma || d.Has(A::kMetadata)) return;
  const char* const value = comma + kNameSize + 3;
  int64_t frame = 0;
  const char* const end = PrintedMetadataEnd(value, in_.Rest().end(), &frame);
  if (end == nullptr) return;
  in_.AdvanceTo(end);
  d.seen.set(static_cast<size_t>(A::kMetadata));
  d.attributes.emplace_back(A::kMetadata, in_.TextFrom(value), kNameSize + 1);
  d.form.Attribute(d.opcode, d.attributes.back(), kNameSize, FormWithFrame(frame));
}

bool ModuleParser::ReadAttribute(ParsedInstruction& d) {
  const char* at = in_.at();
  absl::string_view text;
  if (!in_.ReadAttributeName(&text)) return in_.Fail("expected the name of an attribute and '='");
  const auto name = AttributeNameFromText(text);
  if (!name.has_value() || !IsAllowed(*name, d)) {
    return FailWithAttributes(at, text, d);
  }
  if (d.Has(*name)) return in_.FailAt(at, absl::StrCat("second attribute '", text, "'"));
  d.seen.set(static_cast<size_t>(*name));
  const char* value = in_.at();
  if (!ReadValue(*name, SyntaxOf(*name, d.opcode), d)) {
    if (in_.error().offset == Reader::kAtAttributeName) in_.SetErrorOffset(in_.OffsetOf(at));
    return false;
  }
  const size_t distance = static_cast<size_t>(value - at);
  if (distance > Attribute::kMaxNameDistance) return in_.FailAt(at, "the value is too far away");
  d.attributes.emplace_back(*name, in_.TextFrom(value), static_cast<uint32_t>(distance));
  if (*name == A::kMetadata) {
    d.form.Attribute(d.opcode, d.attributes.back(), text.size(),
                     FormOfMetadata(in_.TextFrom(value)));
  } else {
    d.form.Attribute(d.opcode, d.attributes.back(), text.size());
  }
  return true;
}

bool ModuleParser::IsAllowed(AttributeName name, const ParsedInstruction& d) const {
  if (d.opcode == Opcode::kConditional && !IsCommonAttribute(name)) {
    const bool by_pred = module_.shape(d.operands[0]).element_type() == layout::ElementType::kPred;
    return by_pred ? name == A::kTrueComputation || name == A::kFalseComputation
                   : name == A::kBranchComputations;
  }
  if (d.sugar != AsyncStage::kNone &&
      (name == A::kAsyncExecutionThread || name == A::kOutputToOperandAliasing)) {
    return true;
  }
  return AllowsAttribute(d.opcode, name);
}

bool ModuleParser::FailWithAttributes(const char* at, absl::string_view text,
                                      const ParsedInstruction& d) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < kNumAttributeNames; ++i) {
    if (IsAllowed(static_cast<A>(i), d)) names.push_back(AttributeText(static_cast<A>(i)));
  }
  std::sort(names.begin(), names.end());
  return in_.FailAt(
      at, absl::StrCat(OpcodeName(d.opcode), " has no attribute '", text, "'",
                       text::DidYouMean(text, names), "; there are ", absl::StrJoin(names, ", ")));
}

// The alphabetically first one that is missing.
bool ModuleParser::CheckRequired(const ParsedInstruction& d) {
  if (d.sugar != AsyncStage::kNone) return true;  // of a start: asked of the wrapped operation
  absl::string_view missing;
  const auto require = [&](A name) {
    const absl::string_view text = AttributeText(name);
    if (!d.Has(name) && (missing.empty() || text < missing)) missing = text;
  };
  for (const OpcodeAttribute& own : OpcodeAttributes(d.opcode)) {
    if (own.required) require(own.name);
  }
  if (d.opcode == Opcode::kConditional) {
    const bool by_pred = module_.shape(d.operands[0]).element_type() == layout::ElementType::kPred;
    require(by_pred ? A::kTrueComputation : A::kBranchComputations);
    if (by_pred) require(A::kFalseComputation);
  }
  if (d.opcode == Opcode::kBroadcast && module_.shape(d.operands[0]).rank() != 0) {
    require(A::kDimensions);
  }
  if (missing.empty()) return true;
  return in_.FailAt(d.attributes_at == nullptr ? in_.last_end() : d.attributes_at,
                    absl::StrCat(OpcodeName(d.opcode), " needs the attribute '", missing, "'"));
}

namespace {

// A value that no module is needed to read.
bool ReadPlainValue(Reader& in, AttributeSyntax syntax) {
  int64_t integer = 0;
  double number = 0;
  bool truth = false;
  IntList ints;
  absl::string_view token;
  switch (syntax) {
    case S::kInt:
      return in.ExpectInt(&integer);
    case S::kInt32:
      return ReadInt32(in, &integer);
    case S::kFloat:
      return ReadFloat(in, &number);
    case S::kBool:
      return ReadBool(in, &truth);
    case S::kString:
      return in.ExpectString(&token);
    case S::kMetadata:
      return ReadMetadata(in, nullptr);
    case S::kBackendConfig:
      return ReadBackendConfig(in, &token);
    default:
      return ReadInts(in, &ints);
  }
}

}  // namespace

bool ModuleParser::ReadValue(AttributeName name, AttributeSyntax syntax, ParsedInstruction& d) {
  ShapeId shape = 0;
  switch (syntax) {
    case S::kInt:
    case S::kInt32:
    case S::kFloat:
    case S::kBool:
    case S::kString:
    case S::kInts:
    case S::kMetadata:
    case S::kBackendConfig:
      return ReadPlainValue(in_, syntax);
    case S::kComputation:
      return ReadCallee(name, d);
    case S::kComputations:
      return ReadCallees(name, d);
    case S::kInstructions:
      return ReadControlPredecessors(d);
    case S::kSharding:
      return ReadSharding();
    case S::kEnum:
      return ReadWordValue(name, false, d.opcode);
    case S::kWords:
      return ReadWordValue(name, true, d.opcode);
    case S::kShape:
      return shapes_.Read(in_, &shape);
    case S::kShapes:
      return ReadShapesValue(AttributeText(name));
    case S::kLiteral:
      return ReadLiteralValue();
    default:
      return ReadStructuredValue(syntax);
  }
}

// Groups of replicas, windows and the like repeat from line to line: one that is spelled as one of
// the last of its kind is not read again. After the bracket that ends it no value goes on.
bool ModuleParser::ReadStructuredValue(AttributeSyntax syntax) {
  RecentValues& recent = recent_values_[static_cast<size_t>(syntax)];
  const absl::string_view rest = in_.Rest();
  for (const absl::string_view text : recent.texts) {
    if (text.empty() || !absl::StartsWith(rest, text)) continue;
    in_.AdvanceTo(in_.at() + text.size());
    return true;
  }
  const char* const begin = in_.at();
  if (!ParseStructuredValue(in_, syntax)) return false;
  const absl::string_view text = in_.TextFrom(begin);
  if (text.front() == '{' && text.back() == '}') {
    recent.texts[recent.count++ % recent.texts.size()] = text;
  }
  return true;
}

bool ModuleParser::ReadWordValue(AttributeName name, bool list, Opcode opcode) {
  const Enumeration e = EnumValuesOf(name, opcode);
  absl::string_view word;
  if (!list) return ReadEnumeration(in_, e.words, e.ignore_case, AttributeText(name), &word);
  if (!in_.Expect('{', "to start a list")) return false;
  if (in_.Eat('}')) return true;
  do {
    if (!ReadEnumeration(in_, e.words, e.ignore_case, AttributeText(name), &word)) return false;
  } while (in_.Eat(','));
  return in_.Expect('}', "to end a list");
}

bool ModuleParser::ReadShapesValue(absl::string_view what) {
  if (!in_.Expect('{', absl::StrCat("to start ", what))) return false;
  if (in_.Eat('}')) return true;
  do {
    ShapeId shape = 0;
    if (!shapes_.Read(in_, &shape)) return false;
  } while (in_.Eat(','));
  return in_.Expect('}', absl::StrCat("to end ", what));
}

bool ModuleParser::ReadLiteralValue() { return ReadTypedLiteral(in_, nullptr); }

bool ModuleParser::ReadSharding() {
  const char* at = in_.at();
  absl::string_view token;
  if (!ReadBalanced(in_, &token)) return false;
  if (known_shardings_->Find(token) != nullptr) return true;
  auto sharding = sharding::ParseHloSharding(token);
  if (!sharding.ok()) {
    return in_.FailAt(
        in_.OffsetOf(at) + static_cast<uint32_t>(text::ErrorOffset(sharding.status())),
        sharding.status().message());
  }
  known_shardings_->Add(token, *std::move(sharding));
  return true;
}

}  // namespace tessera::hlo
