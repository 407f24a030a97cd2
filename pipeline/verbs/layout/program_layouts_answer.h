// The answer of `layout FILE`, for people and for programs.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_ANSWER_H_

#include <cstddef>
#include <string>

#include "tessera/pipeline/verbs/layout/program_layouts.h"

namespace tessera::pipeline {

// Lists of at most `top` rows each.
std::string ProgramLayoutsText(const ProgramLayouts& layouts, size_t top);

// One JSON object and a newline, with all rows; its form is program_layouts_answer.proto.
std::string ProgramLayoutsJson(const ProgramLayouts& layouts);

// For a module from before its compilation; else empty.
std::string NoteOnNoLayouts(const hlo::Module& module, const ProgramLayouts& layouts);

// For standard error, one line each: tiles that no TPU is known to have. Their bytes follow the text.
std::string NotesOnTiles(const ProgramLayouts& layouts);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_ANSWER_H_
