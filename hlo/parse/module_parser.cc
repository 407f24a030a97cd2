// The outer grammar of a module:
//
//   HloModule m, num_partitions=2            header_parser.cc
//   FileNames ..                             stack frame tables, read here
//   ENTRY e { x = f32[8] parameter(0) .. }   computation_parser.cc, one computation after the other
//
// Cost: one pass over the text. Tested by parser_test.cc.

#include "tessera/hlo/parse/module_parser.h"

#include <algorithm>

#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

// For the first allocation of a module of a file with several.
constexpr size_t kFewInstructions = 64;

// Lines that begin with a blank, as those of instructions do.
size_t CountIndented(absl::string_view text) {
  size_t lines = 0;
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    lines += at + 1 < text.size() && text[at + 1] == ' ';
  }
  return lines;
}

// For the first allocation: how many instructions a text has. Of a long one, from samples.
size_t EstimateInstructions(absl::string_view text) {
  constexpr size_t kSamples = 16, kSampleBytes = 2048;
  if (text.size() <= kSamples * kSampleBytes) return CountIndented(text);
  size_t lines = 0;
  for (size_t i = 0; i < kSamples; ++i) {
    lines += CountIndented(text.substr(i * (text.size() / kSamples), kSampleBytes));
  }
  return lines * (text.size() / (kSamples * kSampleBytes));
}

}  // namespace

ModuleParser::ModuleParser(std::shared_ptr<const text::Source> source, size_t begin, size_t end,
                           text::Diagnostics* diagnostics)
    : source_(std::move(source)),
      in_(source_->text(), begin, end),
      diagnostics_(diagnostics),
      shapes_(&module_) {
  // Of a file with many modules only the first may be as long as the file.
  const size_t expected =
      begin == 0 ? EstimateInstructions(source_->text().substr(0, end)) : kFewInstructions;
  module_.Reserve(expected + expected / 16);
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
  module_.known_shardings_ = known_shardings_;
  GiveBackRoom();
  if (!had_errors_ && (!CheckAliases() || !CheckAsyncCallers())) Report();
  return std::move(module_);
}

// Where lines are much longer or much shorter than expected, lists have far more room than they need.
void ModuleParser::GiveBackRoom() {
  const auto fit = [](auto& list) {
    if (list.capacity() > list.size() + list.size() / 4) list.shrink_to_fit();
  };
  fit(module_.instructions_);
  fit(module_.id_pool_);
  fit(module_.attribute_pool_);
  fit(module_.computations_);
}

// Whether a computation follows, without a header line: ENTRY, or a bare name before `{`. XLA takes
// `name (parameters) -> ..` for an instruction there, so that the module is a mistake; in a file of several modules
// it is a computation.
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
  if (!in_.AtEnd()) return in_.Fail("expected the end of the text after a single instruction");
  Computation c;
  c.name = "_";
  c.source = {begin, in_.last_end_offset()};
  scope().root = scope().instructions.back();
  if (!CheckParameters(c)) return false;
  module_.entry_ = AddComputation(std::move(c), scope());
  CloseScope();
  return true;
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

}  // namespace tessera::hlo
