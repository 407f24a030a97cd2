// The outer grammar: header line, stack frame tables, computations; and how the parser goes on
// after a mistake.
//
// Recovery. A mistake in an instruction ends that instruction: the parser looks for the next line
// that begins like one (`[ROOT] name =`), for the closing brace of the computation, or for the head
// of the next computation. Names whose definitions failed are poisoned: an instruction that fails
// because it uses one is not reported again.

#include "tessera/hlo/module_parser.h"

#include <algorithm>

#include "tessera/hlo/hash.h"
#include "tessera/hlo/values.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

constexpr size_t kBytesPerInstruction = 90;  // of a typical dump, for the first allocation

// Whether only blanks stand between the begin of its line and `p`; nothing before `from` is looked
// at.
bool BeginsLine(const char* p, const char* from) {
  while (p > from && (p[-1] == ' ' || p[-1] == '\t')) --p;
  return p > from && p[-1] == '\n';
}

}  // namespace

ModuleParser::ModuleParser(std::shared_ptr<const text::Source> source, size_t begin, size_t end,
                           text::Diagnostics* diagnostics)
    : source_(std::move(source)),
      in_(source_->text(), begin, end),
      diagnostics_(diagnostics),
      shapes_(&module_) {
  module_.Reserve((end - begin) / kBytesPerInstruction);
  module_.InternShape(layout::Shape());  // shape 0: that of an instruction while it is not known
}

Module ModuleParser::Parse(bool several) {
  const uint32_t begin = in_.offset();
  module_.header_.has_header_line = in_.PeekWord("HloModule");
  if (!LooksLikeModule(several)) {
    if (!ParseSingleInstruction()) Report();
  } else if (!ReadHeader() || !ReadStackFrames()) {
    Report();
    SkipToComputation();
    ParseComputations(several);
  } else {
    ParseComputations(several);
  }
  module_.SetSource(source_, {begin, std::max(begin, in_.last_end_offset())});
  if (!had_errors_ && (!CheckAliases() || !CheckAsyncCallers())) Report();
  return std::move(module_);
}

// Without a header line: a computation follows. XLA wants ENTRY or a bare name there and takes
// `name (parameters) -> ..` for an instruction, which it cannot be; with `several` it is not.
bool ModuleParser::LooksLikeModule(bool several) {
  if (in_.PeekWord("HloModule") || in_.PeekWord("ENTRY")) return true;
  const char* at = in_.at();
  absl::string_view name;
  const bool body_follows =
      in_.ReadName(&name) && (in_.Peek() == '{' || (several && in_.Peek() == '('));
  in_.Rewind(at);
  return body_follows;
}

void ModuleParser::ParseComputations(bool several) {
  do {
    if (!ParseComputation()) {
      Report();
      SkipToComputation();
    }
  } while (!in_.AtEnd() && !(several && in_.PeekWord("HloModule")));
  if (module_.entry_ == kNoId && module_.num_computations() > 0) {
    module_.entry_ = static_cast<ComputationId>(module_.num_computations() - 1);
  }
  if (!module_.header_.has_header_line && module_.entry_ != kNoId) {
    module_.header_.name = module_.Keep(absl::StrCat("module_", module_.entry().name));
  }
}

bool ModuleParser::ParseSingleInstruction() {
  single_ = true;
  module_.header_.name = "_";
  module_.header_.is_scheduled = true;
  OpenScope();
  const uint32_t begin = in_.offset();
  if (!ReadInstruction()) return false;
  if (!in_.AtEnd()) return in_.Fail("expected the end of the text behind a single instruction");
  Computation c;
  c.name = "_";
  c.source = {begin, in_.last_end_offset()};
  scope().root = scope().instructions.back();
  if (!CheckParameters(c)) return false;
  module_.entry_ = AddComputation(std::move(c), scope());
  CloseScope();
  return true;
}

Scope& ModuleParser::OpenScope() {
  if (depth_ == scopes_.size()) scopes_.push_back(std::make_unique<Scope>());
  scopes_[depth_]->Clear();
  scopes_[depth_]->expected_id = static_cast<ComputationId>(module_.computations_.size());
  return *scopes_[depth_++];
}

ComputationId ModuleParser::FindComputation(absl::string_view name) const {
  return computation_ids_.Find(name, HashText(name),
                               [this](ComputationId id) { return module_.computations_[id].name; });
}

bool ModuleParser::ParseComputation() {
  Computation c;
  const char* begin = in_.at();
  const bool is_entry = in_.EatWord("ENTRY");
  const char* name_at = in_.at();
  if (!in_.ReadName(&c.name)) return in_.Fail("expected the name of a computation");
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
  if (FindComputation(name) != kNoId) {
    return in_.FailAt(name_at, absl::StrCat("second computation with the name '", name, "'"));
  }
  const ComputationId id = AddComputation(std::move(c), s);
  computation_ids_.Add(HashText(name), id);
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
  if (!in_.Eat('{')) return in_.Fail("expected '{' to start the instructions of a computation");
  ReadInstructions();
  c->body_close = in_.offset();
  if (!in_.Eat('}')) return in_.Fail("expected '}' to end the computation");
  return true;
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
    return in_.Fail(absl::StrCat("computation '", c.name, "' has no parameter ", i));
  }
  return true;
}

bool ModuleParser::ReadComputationAttributes(Computation* c) {
  bool seen = false;
  while (in_.Eat(',')) {
    const char* at = in_.at();
    absl::string_view name, token;
    if (!in_.ReadAttributeName(&name)) return in_.Fail("expected execution_thread=");
    if (name != "execution_thread") {
      return in_.FailAt(
          at, absl::StrCat("a computation has no attribute '", name, "', only execution_thread"));
    }
    if (seen) return in_.FailAt(at, "second execution_thread");
    seen = true;
    if (!in_.ExpectString(&token)) return false;
    c->execution_thread = UnquoteString(token).value_or("");
  }
  return true;
}

ComputationId ModuleParser::AddComputation(Computation c, const Scope& s) {
  const ComputationId id = static_cast<ComputationId>(module_.computations_.size());
  c.instructions = s.instructions;
  c.parameters = s.parameters;
  c.root = s.root;
  if (id != s.expected_id) {
    for (InstructionId i : c.instructions) module_.instructions_[i].computation = id;
  }
  if (c.root != kNoId) module_.instructions_[c.root].is_root = true;
  module_.computations_.push_back(std::move(c));
  return id;
}

// The four tables are read as they stand; stack_frames.h gives them as data.
bool ModuleParser::ReadStackFrames() {
  static constexpr absl::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations",
                                                  "StackFrames"};
  static constexpr absl::string_view kFields[] = {
      "file_name_id function_name_id line end_line column end_column",
      "file_location_id parent_frame_id"};
  if (!in_.PeekWord(kTables[0])) return true;
  const char* begin = in_.at();
  for (int table = 0; table < 4; ++table) {
    if (!in_.EatWord(kTables[table])) return in_.Fail(absl::StrCat("expected ", kTables[table]));
    int64_t number = 0;
    absl::string_view token;
    while (in_.ReadInt(&number)) {
      const bool good =
          table < 2 ? in_.ExpectString(&token) : ReadNumberedFields(in_, kFields[table - 2]);
      if (!good) return false;
    }
  }
  module_.header_.stack_frames = in_.TextFrom(begin);
  return true;
}

bool ModuleParser::CheckAliases() {
  if (module_.entry_ == kNoId) return true;
  for (const AliasEntry& entry : module_.header_.input_output_alias) {
    const layout::Shape* shape = module_.header_.entry_layout.has_value()
                                     ? &module_.interned_shape(module_.header_.entry_layout->result)
                                     : &module_.shape(module_.entry().root);
    for (int64_t index : entry.output_index) {
      const bool good = shape->is_tuple() && index >= 0 &&
                        index < static_cast<int64_t>(shape->tuple_elements().size());
      if (!good) return in_.Fail("input_output_alias names an output that does not exist");
      shape = &shape->tuple_elements()[index];
    }
  }
  return true;
}

void ModuleParser::Report() {
  had_errors_ = true;
  if (!cascading_) {
    diagnostics_->Add({text::Severity::kError, in_.error().offset, in_.error().message});
  }
  cascading_ = false;
  in_.ClearError();
}

// True if something that can be read on stands behind the mistake: then the reader is there.
bool ModuleParser::SkipToInstruction(const char* from) {
  in_.Rewind(std::max(from, in_.at()));
  bool at_line = in_.at() > from && BeginsLine(in_.at(), from);
  while (true) {
    const absl::string_view rest = in_.Rest();
    const size_t line = at_line ? 0 : rest.find('\n') + 1;
    if (line == 0 && !at_line) {
      in_.MoveBehind(rest.data() + rest.size());
      return false;
    }
    at_line = false;
    in_.MoveBehind(rest.data() + line);
    if (in_.AtEnd() || in_.Peek() == '}') return in_.Peek() == '}';
    if (in_.PeekWord("ENTRY") || in_.PeekWord("HloModule")) return false;
    const char* at = in_.at();
    absl::string_view name;
    in_.EatWord("ROOT");
    const bool instruction = in_.ReadName(&name) && in_.Peek() == '=';
    in_.Rewind(at);
    if (instruction) return true;
  }
}

// Moves to the next line that begins in its first column with something like the head of a
// computation, or to the end.
void ModuleParser::SkipToComputation() {
  while (!in_.AtEnd()) {
    const absl::string_view rest = in_.Rest();
    const size_t line = rest.find('\n');
    if (line == absl::string_view::npos) {
      in_.MoveBehind(rest.data() + rest.size());
      return;
    }
    in_.MoveBehind(rest.data() + line + 1);
    if (in_.AtEnd() || in_.PeekWord("ENTRY") || in_.PeekWord("HloModule")) return;
    const char* at = in_.at();
    absl::string_view name;
    const bool head =
        at[-1] == '\n' && in_.ReadName(&name) && (in_.Peek() == '{' || in_.Peek() == '(');
    in_.Rewind(at);
    if (head) return;
  }
}

}  // namespace tessera::hlo
