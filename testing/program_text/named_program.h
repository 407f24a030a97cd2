// The text of a program (program_text.h), word for word, before any name is looked up.
//
//   absl::StatusOr<NamedProgram> named = ParseNamedProgram("entry e(%x) {\n  return(%x)\n}\n");
//   named->functions[0].body.ops[0].opcode;       // "return"

#ifndef TESSERA_TESTING_PROGRAM_TEXT_NAMED_PROGRAM_H_
#define TESSERA_TESTING_PROGRAM_TEXT_NAMED_PROGRAM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding::passes {

// `%n#1' f32[8,4] [{"a"}, {}]`; an operand is a name alone.
struct NamedValue {
  std::string name;  // without `%`
  size_t offset = 0;
  std::optional<layout::Shape> shape;
  std::optional<ShardingText> sharding;  // its mesh is not named
};

struct NamedOp;

struct NamedBlock {
  int region = 0;
  std::vector<NamedValue> args;
  std::vector<NamedOp> ops;
};

struct NamedOp {
  size_t offset = 0;
  std::vector<NamedValue> results;
  std::string opcode;  // of HLO, or the name of a kind
  std::vector<NamedValue> operands;
  std::string detail;                                           // after the operands
  std::vector<std::pair<std::string, std::string>> attributes;  // {dimensions={0}, index=1}
  std::vector<std::optional<ShardingText>> function_results;    // after `->`
  std::vector<NamedBlock> blocks;
};

struct NamedFunction {
  std::string name;
  bool is_entry = false;
  NamedBlock body;
};

struct NamedProgram {
  std::vector<Mesh> meshes;
  std::vector<NamedFunction> functions;
};

// InvalidArgument with an offset in the text (text::ErrorOffset).
absl::StatusOr<NamedProgram> ParseNamedProgram(absl::string_view text);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_TESTING_PROGRAM_TEXT_NAMED_PROGRAM_H_
