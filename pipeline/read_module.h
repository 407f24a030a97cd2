// The module that a verb works on: FILE of the command line, and --module=N.
//
//   verb.positionals = {{"FILE", kFileHelp}};
//   verb.flags = {ModuleFlag()};
//   ...
//   absl::StatusOr<hlo::Module> module = ReadModule(arguments);
//   if (!module.ok()) return BadInput(module.status());

#ifndef TESSERA_PIPELINE_READ_MODULE_H_
#define TESSERA_PIPELINE_READ_MODULE_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verb.h"

namespace tessera::pipeline {

inline constexpr char kFileHelp[] = "HLO, as text or binary (.pb); - reads standard input";

Flag ModuleFlag();

// Reads the first positional. Binary HLO becomes text first (hlo/proto.h), so places are those of
// that text. The message of an error has file, line, column and caret where there
// is a place to show; NotFound if there is no such file, OutOfRange if it has fewer modules.
absl::StatusOr<hlo::Module> ReadModule(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_READ_MODULE_H_
