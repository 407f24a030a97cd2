// Notes for the user on a module that does not fit the question.
//
//   NotesOn(module, import, Encoding::kAuto);
//   // {"note: this module has sharding={...} but no xla.sdy attributes; ..\n"}

#ifndef TESSERA_PIPELINE_INPUT_MODULE_NOTES_H_
#define TESSERA_PIPELINE_INPUT_MODULE_NOTES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/sharding/passes/import/import.h"

namespace tessera::pipeline {

// How many devices the module is for: its num_partitions, else those of the first sharding that splits an
// array, which all others have to fit; 1 where none does.
int64_t DevicesOf(const hlo::Module& module);

// `import` is how the module will be read, `asked` the encoding that the user named. Each note is a
// line of its own.
std::vector<std::string> NotesOn(const hlo::Module& module,
                                 const sharding::passes::ImportOptions& import,
                                 sharding::passes::Encoding asked);

// Which tensors a pattern matched, unless it is the name of the only one: more, perhaps, than were
// meant, or others.
void AddNotesOnMatches(const hlo::Module& module, const std::vector<PatternAnnotation>& annotations,
                       const MatchesByAnnotation& matches, std::vector<std::string>* notes);

// Targets of --rule or --kernel-cost that no custom call has, with the nearest that one has: a line each.
std::string NoteOnTargets(const hlo::Module& module, absl::string_view flag,
                          const std::vector<std::string>& targets);
std::string NoteOnRules(const hlo::Module& module,
                        absl::Span<const std::pair<std::string, std::string>> rules);

// One of these notes, for callers that read the module many times: empty if nothing is dropped.
std::string NoteOnDroppedShardings(const hlo::Module& module, sharding::passes::Encoding encoding);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_MODULE_NOTES_H_
