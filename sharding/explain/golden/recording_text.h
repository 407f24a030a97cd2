// The text form of a recording: a golden file.
//
//   tessera golden 1
//   reference 0.12.0.1
//   mesh @mesh <["data"=4, "model"=2]>
//
//   w.1: f32[64,32] P(None, 'model') = argument, op_name="w"
//   dot.7: f32[16,32] P('data', 'model') = dot(x.1, w.1), op_name="dot_general", source="mlp.py:5"
//   result: f32[16,32] P('data', 'model') = result(dot.7)
//
// One tensor a line: NAME: SHAPE SHARDING = OPCODE(OPERANDS), op_name="..", source="..". A sharding
// is P(..) over the first mesh, the notation of sdy where P(..) cannot say it. Operands
// are arrays of the file; op_name and source may be missing. `#` begins a line of comment.
// docs/golden.md is the user's page. Tested by recording_text_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_TEXT_H_
#define TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/sharding/explain/golden/recording.h"
#include "tessera/text/source.h"

namespace tessera::sharding::golden {

inline constexpr int kFormatVersion = 1;

std::string PrintRecording(const Recording& recording);

// Whether it begins as a golden file does, of whatever version.
bool IsRecording(const text::Source& source);

// InvalidArgument with file, line, column and caret for each line that is wrong. A file of another
// format version is one of them.
absl::StatusOr<Recording> ParseRecording(const text::Source& source);

// P('data', None), <@mesh, [{"x":(1)2}]>.
std::string SpecOf(const Recording& recording, const Entry& entry);
// ["data"=4, "model"=2]; the other meshes after it.
std::string MeshesText(const Recording& recording);

}  // namespace tessera::sharding::golden

#endif  // TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_TEXT_H_
