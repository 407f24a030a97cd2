// Idea. Most modules that are printed were read from a text that XLA printed. The parser knows the
// place of each token; between them must be as many blanks as the printer puts there, one or none:
//
//   %dot.7 = f32[8,4]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ~     ~~~             ~   ~~ ~~~ ~~~                     ~ ~~~                     ~
//
// Attributes must come in printed order. None may be missing that prints when it is absent, and
// none may be written that the printer leaves out. Values whose form shows at a glance are decided
// here. The printer makes each distinct other one once (source_reuse.h).
//
// Cost: some 100 machine instructions an instruction that is read. Tested by printer_test
// and parser_fuzz, which print every module with and without copying.

#include "tessera/hlo/print/spelling_state.h"

#include <charconv>
#include <cstring>

#include "tessera/hlo/schema/print_rules.h"
#include "tessera/hlo/values/value_form.h"

namespace tessera::hlo {

using A = AttributeName;
using S = AttributeSyntax;

namespace {

// Opcodes whose printed form follows rules of its own.
bool IsOdd(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone || opcode == Opcode::kMap ||
         opcode == Opcode::kRaggedAllToAll;
}

// The place of an attribute of every instruction among them; 0 for those not looked at here.
int CommonRank(AttributeName name) {
  switch (name) {
    case A::kSharding:
      return 1;
    case A::kFrontendAttributes:
      return 2;
    case A::kStatistics:
      return 3;
    case A::kOrigin:
      return 4;
    case A::kMetadata:
      return 5;
    case A::kBackendConfig:
      return 6;
    default:
      return 0;
  }
}

size_t DigitsOf(uint32_t number) {
  size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

SpellingState FormIf(bool printed) {
  return printed ? SpellingState::kPrinted : SpellingState::kOther;
}

}  // namespace

SpellingState FormOfValue(AttributeName name, Opcode opcode, absl::string_view text) {
  switch (SyntaxOf(name, opcode)) {
    case S::kInts:
      if (opcode == Opcode::kAllGather || opcode == Opcode::kAllGatherStart) {
        return SpellingState::kValues;
      }
      return FormIf(IsCanonicalIntList(text) && (text.size() > 2 || !HidesEmptyInts(name)));
    case S::kInt:
      return FormIf(IsCanonicalInt(text) && !HiddenInt(name).has_value());
    case S::kBool:
      return FormIf(text == "true");
    case S::kComputation:
      return FormIf(text[0] == '%' && opcode != Opcode::kCustomCall);
    case S::kEnum:
      return name == A::kDirection || name == A::kKind ? SpellingState::kPrinted
                                                       : SpellingState::kValues;
    case S::kComputations:
    case S::kInstructions:
    case S::kResultAccuracy:
      return SpellingState::kOther;
    default:
      return SpellingState::kValues;
  }
}

const char* CanonicalFormTracker::DueAfterIndex(const char* comma, size_t place) {
  char text[32] = " /*index=";
  char* end = std::to_chars(text + 9, text + 28, place).ptr;
  *end++ = '*';
  *end++ = '/';
  const size_t size = static_cast<size_t>(end - text);
  return std::memcmp(comma + 1, text, size) == 0 ? comma + 1 + size : nullptr;
}

void CanonicalFormTracker::Parameter(uint32_t number, const char* open, const char* close) {
  printed_ = printed_ && open + 1 + DigitsOf(number) == close;
}

void CanonicalFormTracker::Literal(absl::string_view text, const char* open, const char* close) {
  printed_ = printed_ && text.data() == open + 1 && text.data() + text.size() == close;
  values_ = true;
}

// Own attributes before the next one, or all that are left: they are absent.
bool CanonicalFormTracker::SkipOwn(Opcode opcode, AttributeName until) {
  const auto own = OpcodeAttributes(opcode);
  for (; next_own_ < own.size() && own[next_own_].name != until; ++next_own_) {
    if (PrintsWhenAbsent(own[next_own_].name)) return false;
  }
  return next_own_ < own.size() || IsCommonAttribute(until);
}

void CanonicalFormTracker::Attribute(Opcode opcode, const hlo::Attribute& a, size_t name_size) {
  if (printed_) Attribute(opcode, a, name_size, FormOfValue(a.name(), opcode, a.value()));
}

void CanonicalFormTracker::Attribute(Opcode opcode, const hlo::Attribute& a, size_t name_size,
                                     SpellingState form) {
  const int rank = CommonRank(a.name());
  const bool in_order = rank > 0 ? rank > rank_ : rank_ == 0 && SkipOwn(opcode, a.name());
  rank_ = rank;
  if (rank == 0) ++next_own_;
  printed_ =
      printed_ && in_order && form != SpellingState::kOther && a.name_distance() == name_size + 1;
  values_ |= form == SpellingState::kValues;
}

SpellingState CanonicalFormTracker::Finish(Opcode opcode) {
  if (!printed_ || IsOdd(opcode) || !SkipOwn(opcode, A::kSharding)) return SpellingState::kOther;
  return values_ ? SpellingState::kValues : SpellingState::kPrinted;
}

}  // namespace tessera::hlo
