// Computations: head, parameter list, body, attributes after it.

#include <utility>

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

Scope& ModuleParser::OpenScope() {
  if (depth_ == scopes_.size()) scopes_.push_back(std::make_unique<Scope>());
  scopes_[depth_]->Clear();
  scopes_[depth_]->expected_id = static_cast<ComputationId>(module_.computations_.size());
  return *scopes_[depth_++];
}

ComputationId ModuleParser::FindComputation(absl::string_view name) const {
  return computation_ids_.Find(name, computation_ids_.HashOf(name),
                               [this](ComputationId id) { return module_.computations_[id].name; });
}

bool ModuleParser::ReadNameOfComputation(absl::string_view* name) {
  if (in_.ReadName(name)) return true;
  const char* at = in_.at();
  std::string fault = "expected the name of a computation";
  absl::string_view word;
  if (in_.PeekType() && in_.ReadWord(&word)) {
    absl::StrAppend(&fault, "; ", word, " is an element type, %", word, " a name");
  }
  return in_.FailAt(at, fault);
}

bool ModuleParser::ParseComputation() {
  Computation c;
  const char* begin = in_.at();
  const bool is_entry = in_.EatWord("ENTRY");
  const char* name_at = in_.at();
  if (!ReadNameOfComputation(&c.name)) return false;
  ShapeId result = 0;
  const char* result_at = nullptr;
  if (in_.Peek() == '(' && !ReadParameterList(&c, &result, &result_at)) return false;
  OpenScope();
  const bool good = ReadBody(&c) && CheckParameters(c) && ReadComputationAttributes(&c);
  CloseScope();
  if (!good) {
    poisoned_computations_.insert(c.name);
    return false;
  }
  const Scope& s = *scopes_[depth_];
  if (result_at != nullptr && !s.has_errors &&
      !layout::Compatible(module_.interned_shape(result), module_.shape(s.root))) {
    return in_.FailAt(
        result_at, absl::StrCat("the computation is written as giving ",
                                layout::ShapeToString(module_.interned_shape(result)),
                                " but its root is ", layout::ShapeToString(module_.shape(s.root))));
  }
  c.source = {in_.OffsetOf(begin), in_.last_end_offset()};
  const absl::string_view name = c.name;
  if (is_entry && entry_at_ != nullptr) {
    return in_.FailAt(begin, "a module has only one ENTRY");
  }
  const auto name_of = [this](ComputationId i) { return module_.computations_[i].name; };
  const ComputationId id = static_cast<ComputationId>(module_.computations_.size());
  if (!computation_ids_.AddNew(name, computation_ids_.HashOf(name), id, name_of)) {
    return in_.FailAt(name_at, absl::StrCat("second computation with the name '", name, "'"));
  }
  AddComputation(std::move(c), s);
  if (!is_entry) return true;
  entry_at_ = begin;
  module_.entry_ = id;
  return true;
}

bool ModuleParser::ReadParameterList(Computation* c, ShapeId* result, const char** result_at) {
  const uint32_t begin = in_.offset();
  in_.Eat('(');
  if (in_.Peek() != ')') {
    do {
      absl::string_view name;
      ShapeId shape = 0;
      if (!in_.ReadName(&name)) return in_.Fail("expected the name of a parameter");
      if (!shapes_.Read(in_, &shape)) return false;
    } while (in_.Eat(','));
  }
  if (!in_.Expect(')', "to end the parameters")) return false;
  if (!in_.EatArrow()) return in_.Fail("expected '->' and the shape of the result");
  *result_at = in_.at();
  if (!shapes_.Read(in_, result)) return false;
  c->program_shape = {begin, in_.last_end_offset()};
  return true;
}

bool ModuleParser::ReadBody(Computation* c) {
  c->body_open = in_.offset();
  body_name_ = c->name;
  if (!in_.Eat('{')) return in_.Fail("expected '{' to start the instructions of a computation");
  ReadInstructions();
  c->body_close = in_.offset();
  // A mistake may have taken the brace along.
  if (in_.Eat('}') || (scope().has_errors && BeginsComputation())) return true;
  return in_.Fail("expected '}' to end the computation");
}

// At least one instruction. Leaves the reader at '}', or where nothing more can be made of the
// text.
void ModuleParser::ReadInstructions() {
  do {
    const char* begin = in_.at();
    if (ReadInstruction()) continue;
    Report();
    scope().has_errors = true;
    if (!SkipToInstruction(begin)) return;
  } while (in_.Peek() != '}' && !in_.AtEnd());
}

bool ModuleParser::CheckParameters(const Computation& c) {
  Scope& s = scope();
  if (s.root == kNoId && !s.instructions.empty()) s.root = s.instructions.back();
  if (s.has_errors) return true;
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (s.parameters[i] != kNoId) continue;
    return in_.FailAt(c.body_close,
                      absl::StrCat("computation '", c.name, "' has no parameter ", i));
  }
  return true;
}

bool ModuleParser::ReadComputationAttributes(Computation* c) {
  bool has_thread = false, has_config = false;
  while (in_.Eat(',')) {
    const char* at = in_.at();
    absl::string_view name, token;
    if (!in_.ReadAttributeName(&name)) {
      return in_.Fail("expected execution_thread= or backend_config=");
    }
    if (name != "execution_thread" && name != "backend_config") {
      return in_.FailAt(at, absl::StrCat("a computation has no attribute '", name,
                                         "', only backend_config and execution_thread"));
    }
    bool& seen = name == "backend_config" ? has_config : has_thread;
    if (seen) return in_.FailAt(at, absl::StrCat("second ", name));
    seen = true;
    if (name == "backend_config") {
      if (!ReadConfig(&c->backend_config)) return false;
      continue;
    }
    if (!in_.ExpectString(&token)) return false;
    c->execution_thread = UnquoteString(token).value_or("");
  }
  return true;
}

ComputationId ModuleParser::AddComputation(Computation&& c, const Scope& s) {
  const ComputationId id = static_cast<ComputationId>(module_.computations_.size());
  c.instructions = s.instructions;
  c.parameters = s.parameters;
  c.root = s.root;
  c.names_elements = !s.elements.empty();
  if (id != s.expected_id) {
    for (InstructionId i : c.instructions) module_.instructions_[i].computation = id;
  }
  if (c.root != kNoId) module_.instructions_[c.root].is_root = true;
  module_.computations_.push_back(std::move(c));
  return id;
}

}  // namespace tessera::hlo
