#include "tessera/pipeline/input/read_module.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/recovery/hints.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/verifier.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/input/session.h"
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

// The text that says the same.
absl::StatusOr<SourcePtr> TextOfBinary(const text::Source& file) {
  const absl::StatusOr<std::string> text = hlo::ProtoToText(file.text());
  if (text.ok()) return text::Source::FromString(std::string(file.name()), *text);
  if (text::ErrorOffset(text.status()) > 0) return text::Located(text.status(), file);
  return absl::InvalidArgumentError(absl::StrCat(file.name(), ": ", text.status().message()));
}

// Binary HLO has no num_partitions.
void SetPartitions(hlo::Module* module) {
  const int64_t devices = DevicesOf(*module);
  if (devices > 1) module->mutable_header().num_partitions = devices;
}

using Modules = std::vector<hlo::Module>;

// As ReadModules(), the first one verified.
absl::StatusOr<Modules> ReadValidModules(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(Modules modules, ReadModules(arguments));
  const text::Diagnostics mistakes = hlo::VerifyModule(modules.front());
  TESSERA_RETURN_IF_ERROR(mistakes.ToStatus(*modules.front().text()));
  return modules;
}

std::string ModuleKey(const Arguments& arguments) {
  return absl::StrCat(arguments.Get("module"), arguments.Has("module") ? " given " : " ",
                      arguments.positional(0));
}

std::string NoteOnSeveral(const Arguments& arguments, const Modules& modules) {
  if (modules.size() == 1) return "";
  return absl::StrCat("note: ", arguments.positional(0), " has ", CountedModules(modules.size()),
                      "; showing the first, ", modules.front().header().name,
                      "; --module=2 takes the next\n");
}

VerbResult WithNote(const std::string& note, absl::StatusOr<VerbResult> result) {
  if (!result.ok()) return BadInput(result.status());
  result->notes = note + result->notes;
  return *std::move(result);
}

// The result of `answer` for modules that the session has, or keeps from now on.
VerbResult WithKeptModules(const Arguments& arguments,
                           absl::FunctionRef<absl::StatusOr<VerbResult>(const Modules&)> answer) {
  const auto kept = arguments.session()->KeepModules(
      ModuleKey(arguments), [&]() -> absl::StatusOr<Session::Modules> {
        TESSERA_ASSIGN_OR_RETURN(Modules modules, ReadValidModules(arguments));
        return std::make_shared<const Modules>(std::move(modules));
      });
  if (!kept.ok()) return BadInput(kept.status());
  return WithNote(NoteOnSeveral(arguments, **kept), answer(**kept));
}

}  // namespace

Flag ModuleFlag() { return {"module", "N", "the N-th module of a file with several", "1"}; }

absl::StatusOr<std::vector<hlo::Module>> ReadModules(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const size_t number, ModuleNumber(arguments.Get("module")));
  TESSERA_ASSIGN_OR_RETURN(const SourcePtr file, ReadFile(arguments, arguments.positional(0)));
  const bool is_binary = hlo::LooksLikeProto(file->text());
  TESSERA_ASSIGN_OR_RETURN(const SourcePtr source, is_binary ? TextOfBinary(*file) : file);
  hlo::ParsedText parsed = hlo::ParseModules(source);
  const size_t zero = source->text().find('\0');
  if (!parsed.diagnostics.ok() && zero != absl::string_view::npos &&
      hlo::OtherForm(source->text()).empty()) {
    return text::Located(text::ErrorAt(zero, "a zero byte: neither HLO text nor binary HLO"),
                         *source);
  }
  TESSERA_RETURN_IF_ERROR(parsed.diagnostics.ToStatus(*source));
  if (is_binary) absl::c_for_each(parsed.modules, [](hlo::Module& m) { SetPartitions(&m); });
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
  if (arguments.session() != nullptr) {
    return WithKeptModules(arguments, [&](const Modules& kept) { return answer(kept.front()); });
  }
  absl::StatusOr<Modules> modules = ReadValidModules(arguments);
  if (!modules.ok()) return BadInput(modules.status());
  const std::string note = NoteOnSeveral(arguments, *modules);
  return WithNote(note, answer(std::move(modules->front())));
}

namespace internal {

VerbResult OnMade(const Arguments& arguments, std::type_index type, const std::string& key,
                  absl::FunctionRef<absl::StatusOr<Made>(hlo::Module)> make,
                  absl::FunctionRef<absl::StatusOr<VerbResult>(const void*)> answer) {
  if (arguments.session() == nullptr) {
    return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
      TESSERA_ASSIGN_OR_RETURN(const Made made, make(std::move(module)));
      return answer(made.get());
    });
  }
  return WithKeptModules(arguments, [&](const Modules& kept) -> absl::StatusOr<VerbResult> {
    const std::string whole_key = absl::StrCat(ModuleKey(arguments), " ", key);
    TESSERA_ASSIGN_OR_RETURN(const Made made, arguments.session()->Keep(type, whole_key, [&] {
      return make(kept.front());
    }));
    return answer(made.get());
  });
}

}  // namespace internal

}  // namespace tessera::pipeline
