#include "tessera/projection/cost/memory/aliased_outputs.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::projection {
namespace {

// An output that is a copy.
struct Misplaced {
  int number, parameter;
  int source;  // value
};

class Copies {
 public:
  explicit Copies(Program* program) : program_(*program) {}

  int Append(const Misplaced& output) {
    const int64_t bytes = program_.parameters[static_cast<size_t>(output.parameter)];
    program_.order.push_back({bytes, {output.source}, BufferKind::kNew, 0});
    numbers_.push_back(output.number);
    return static_cast<int>(program_.parameters.size() + program_.order.size()) - 1;
  }
  std::vector<int> Numbers() && { return std::move(numbers_); }

 private:
  Program& program_;
  std::vector<int> numbers_;
};

bool IsConstant(const Program& program, int value) {
  const size_t step = static_cast<size_t>(value) - program.parameters.size();
  return program.order[step].kind == BufferKind::kConstant;
}

}  // namespace

std::vector<int> AliasOutputs(absl::Span<const std::pair<int, int>> ends, Program* program) {
  const int parameters = static_cast<int>(program->parameters.size());
  const std::vector<int> roots = RootsOf(*program);
  std::vector<bool> is_used(roots.size());
  std::vector<Misplaced> misplaced;
  for (const auto& [number, parameter] : ends) {
    const int output = program->outputs[static_cast<size_t>(number)];
    const int root = roots[static_cast<size_t>(output)];
    if (root == parameter) continue;  // handed on
    if (root < parameters || IsConstant(*program, root) || is_used[static_cast<size_t>(root)]) {
      misplaced.push_back({number, parameter, root});
    } else {
      is_used[static_cast<size_t>(root)] = true;
      program->aliased.push_back({output, parameter});
    }
  }
  Copies copies(program);
  // Other parameters are copied away, all of them, before their memory is written.
  for (Misplaced& output : misplaced) {
    if (output.source < parameters) output.source = copies.Append(output);
  }
  for (const Misplaced& output : misplaced) {
    int& value = program->outputs[static_cast<size_t>(output.number)];
    value = copies.Append(output);
    program->aliased.push_back({value, output.parameter});
  }
  return std::move(copies).Numbers();
}

}  // namespace tessera::projection
