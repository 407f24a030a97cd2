// Names of computations and of control predecessors among the attributes.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/module_parser.h"

namespace tessera::hlo {

bool ModuleParser::ReadCallee(AttributeName name, ParsedInstruction& d) {
  ComputationId id = kNoId;
  if (!ReadComputationName(&id)) return false;
  d.called.emplace_back(name, id);
  return true;
}

bool ModuleParser::ReadCallees(AttributeName name, ParsedInstruction& d) {
  if (!in_.Expect('{', "to start a list of computations")) return false;
  if (in_.Eat('}')) return true;
  do {
    if (!ReadCallee(name, d)) return false;
  } while (in_.Eat(','));
  return in_.Expect('}', "to end a list of computations");
}

// `{ instructions }` in place of a name. It sees nothing of the computation around it.
bool ModuleParser::ReadInlineComputation(ComputationId* id) {
  if (depth_ >= kMaxNestedComputations) {
    return in_.Fail(
        absl::StrCat("bodies in place of names are nested deeper than ", kMaxNestedComputations));
  }
  Computation c;
  c.name = "_";
  c.is_inline = true;
  const uint32_t begin = in_.offset();
  OpenScope();
  const bool good = ReadBody(&c) && CheckParameters(c);
  const bool inner_errors = scope().has_errors;
  if (good) {
    c.source = {begin, in_.last_end_offset()};
    // The computation that is made around a single instruction takes the name first.
    if (single_) c.name = module_.Keep(absl::StrCat("_.", module_.num_computations() + 1));
    *id = AddComputation(std::move(c), scope());
  }
  CloseScope();
  cascading_ |= inner_errors;
  return good && (!inner_errors || in_.Fail("mistakes in an inline computation"));
}

bool ModuleParser::ReadComputationName(ComputationId* id) {
  if (in_.Peek() == '{') return ReadInlineComputation(id);
  const char* at = in_.at();
  absl::string_view name;
  if (!ReadNameOfComputation(&name)) return false;
  *id = FindComputation(name);
  if (*id != kNoId) return true;
  cascading_ |= poisoned_computations_.contains(name);
  return in_.FailAt(at, absl::StrCat("there is no computation '", name, "' before this one"));
}

bool ModuleParser::ReadControlPredecessors(ParsedInstruction& d) {
  if (!in_.Expect('{', "to start control predecessors")) return false;
  do {
    absl::string_view name;
    if (!in_.ReadName(&name)) return in_.Fail("expected the name of an earlier instruction");
    const InstructionId id = FindInstruction(name);
    if (id == kNoId) {
      cascading_ |= scope().poisoned.contains(name);
      return in_.Fail(
          absl::StrCat("there is no instruction '", name, "' before this line of the computation"));
    }
    auto& list = d.control_predecessors;
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  } while (in_.Eat(','));
  return in_.Expect('}', "to end control predecessors");
}

}  // namespace tessera::hlo
