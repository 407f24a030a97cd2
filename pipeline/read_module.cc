#include "tessera/pipeline/read_module.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/proto.h"
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

absl::StatusOr<hlo::Module> ReadModule(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const size_t number, ModuleNumber(arguments.Get("module")));
  TESSERA_ASSIGN_OR_RETURN(const SourcePtr source, ReadText(arguments.positional(0)));
  hlo::ParsedText parsed = hlo::ParseModules(source);
  TESSERA_RETURN_IF_ERROR(parsed.diagnostics.ToStatus(*source));
  if (number > parsed.modules.size()) {
    return absl::OutOfRangeError(absl::StrCat(source->name(), " has ", parsed.modules.size(),
                                              " modules, there is no --module=", number));
  }
  return std::move(parsed.modules[number - 1]);
}

}  // namespace tessera::pipeline
