#include "tessera/pipeline/input/read_module.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/verifier.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using SourcePtr = std::shared_ptr<const text::Source>;

absl::StatusOr<size_t> ModuleNumber(const std::string& flag) {
  size_t number = 0;
  if (absl::SimpleAtoi(flag, &number) && number > 0) return number;
  return absl::InvalidArgumentError(
      absl::StrCat("--module=", flag, ": expected the number of a module, the first being 1"));
}

std::string CountedModules(size_t count) {
  return absl::StrCat(count, count == 1 ? " module" : " modules");
}

// The file; binary HLO as the text that says the same.
absl::StatusOr<SourcePtr> ReadText(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(SourcePtr source, text::Source::FromFile(path));
  if (!hlo::LooksLikeProto(source->text())) return source;
  const absl::StatusOr<std::string> text = hlo::ProtoToText(source->text());
  if (text.ok()) return text::Source::FromString(std::string(source->name()), *text);
  return absl::InvalidArgumentError(absl::StrCat(source->name(), ": ", text.status().message()));
}

}  // namespace

Flag ModuleFlag() { return {"module", "N", "the N-th module of a file with several", "1"}; }

absl::StatusOr<std::vector<hlo::Module>> ReadModules(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const size_t number, ModuleNumber(arguments.Get("module")));
  TESSERA_ASSIGN_OR_RETURN(const SourcePtr source, ReadText(arguments.positional(0)));
  hlo::ParsedText parsed = hlo::ParseModules(source);
  const size_t zero = source->text().find('\0');
  if (!parsed.diagnostics.ok() && zero != absl::string_view::npos) {
    return text::Located(text::ErrorAt(zero, "a zero byte: neither HLO text nor binary HLO"),
                         *source);
  }
  TESSERA_RETURN_IF_ERROR(parsed.diagnostics.ToStatus(*source));
  if (number > parsed.modules.size()) {
    return absl::OutOfRangeError(absl::StrCat(source->name(), " has ",
                                              CountedModules(parsed.modules.size()),
                                              ", there is no --module=", number));
  }
  if (!arguments.Has("module")) return std::move(parsed.modules);
  std::vector<hlo::Module> one;
  one.push_back(std::move(parsed.modules[number - 1]));
  return one;
}

VerbResult OnModule(const Arguments& arguments,
                    absl::FunctionRef<absl::StatusOr<VerbResult>(hlo::Module)> answer) {
  absl::StatusOr<std::vector<hlo::Module>> modules = ReadModules(arguments);
  if (!modules.ok()) return BadInput(modules.status());
  const text::Diagnostics mistakes = hlo::VerifyModule(modules->front());
  if (!mistakes.ok()) return BadInput(mistakes.ToStatus(*modules->front().text()));
  std::string note;
  if (modules->size() > 1) {
    note = absl::StrCat("note: ", arguments.positional(0), " has ", CountedModules(modules->size()),
                        "; showing the first, ", modules->front().header().name,
                        "; --module=2 takes the next\n");
  }
  absl::StatusOr<VerbResult> result = answer(std::move(modules->front()));
  if (!result.ok()) return BadInput(result.status());
  result->notes = note + result->notes;
  return *std::move(result);
}

}  // namespace tessera::pipeline
