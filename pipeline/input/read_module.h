// The module that a verb works on: FILE of the command line, and --module=N.
//
//   verb.positionals = {{"FILE", kFileHelp}};
//   verb.flags = {ModuleFlag()};
//   ...
//   return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
//     return Done(Describe(module));
//   });
//
// A verb that first makes something of the module, and is asked again and again, says so by
// OnPrepared(): in a session (session.h) that is made once.

#ifndef TESSERA_PIPELINE_INPUT_READ_MODULE_H_
#define TESSERA_PIPELINE_INPUT_READ_MODULE_H_

#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

inline constexpr char kFileHelp[] = "HLO, as text or binary (.pb); - reads standard input";

Flag ModuleFlag();

// All modules of the first positional, or that of --module. Binary HLO becomes text first
// (hlo/proto.h), so places are those of that text. The message of an error has file, line, column
// and caret where there is a place to show; NotFound if there is no such file, OutOfRange if it has
// fewer modules.
absl::StatusOr<std::vector<hlo::Module>> ReadModules(const Arguments& arguments);

// The result of `answer` for the module, which hlo/verifier.h has accepted as XLA's verifier would
// before its passes run: operands, shapes and callees fit. An error becomes BadInput. Of a file
// with several modules the first is taken unless --module names another, and a note says so.
VerbResult OnModule(const Arguments& arguments,
                    absl::FunctionRef<absl::StatusOr<VerbResult>(hlo::Module)> answer);

// As OnModule(), of what `make` makes of the module. A session keeps it for other questions of the
// same type, module and `key`, which is to say on which arguments `make` depends.
template <typename T>
VerbResult OnPrepared(const Arguments& arguments, const std::string& key,
                      absl::FunctionRef<absl::StatusOr<T>(hlo::Module)> make,
                      absl::FunctionRef<absl::StatusOr<VerbResult>(const T&)> answer);

// --- implementation only below ---

namespace internal {

using Made = std::shared_ptr<const void>;

VerbResult OnMade(const Arguments& arguments, std::type_index type, const std::string& key,
                  absl::FunctionRef<absl::StatusOr<Made>(hlo::Module)> make,
                  absl::FunctionRef<absl::StatusOr<VerbResult>(const void*)> answer);

}  // namespace internal

template <typename T>
VerbResult OnPrepared(const Arguments& arguments, const std::string& key,
                      absl::FunctionRef<absl::StatusOr<T>(hlo::Module)> make,
                      absl::FunctionRef<absl::StatusOr<VerbResult>(const T&)> answer) {
  return internal::OnMade(
      arguments, typeid(T), key,
      [&](hlo::Module module) -> absl::StatusOr<internal::Made> {
        absl::StatusOr<T> made = make(std::move(module));
        if (!made.ok()) return made.status();
        return std::make_shared<const T>(*std::move(made));
      },
      [&](const void* made) { return answer(*static_cast<const T*>(made)); });
}

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_READ_MODULE_H_
