// The instructions that the names of a program's text stand for.
//
//   NamedInstructions instructions(&module);
//   TESSERA_RETURN_IF_ERROR(instructions.Add(named));   // function @main: a computation `main`
//   instructions.computation(0);                        // of the first function
//   instructions.Of(op);                                // one for `%n#0, %n#1' = ..`, named n
//
// Ops that the passes make are named after their kind and have none. A value without a shape is an
// f32 array of 8 in each dimension of its sharding. Cost: linear. Tested by read_program_test.cc.

#ifndef TESSERA_TESTING_PROGRAM_TEXT_NAMED_INSTRUCTIONS_H_
#define TESSERA_TESTING_PROGRAM_TEXT_NAMED_INSTRUCTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/testing/program_text/named_program.h"

namespace tessera::sharding::passes {

class NamedInstructions {
 public:
  explicit NamedInstructions(hlo::Module* module) : module_(*module) {}

  // To the module: a computation for each function, an instruction for each op that has one. The
  // program must outlive this. Errors name the place in its text.
  absl::Status Add(const NamedProgram& named);

  hlo::ComputationId computation(size_t function) const { return computations_[function]; }
  static bool Has(const NamedOp& op);
  hlo::InstructionId Of(const NamedOp& op) const;

 private:
  absl::Status AddFunction(const NamedFunction& function);
  absl::Status AddBlock(const NamedBlock& block, hlo::ComputationId computation);
  absl::Status AddInstruction(const NamedOp& op, hlo::ComputationId computation);

  hlo::Module& module_;
  std::vector<hlo::ComputationId> computations_;  // of the functions
  absl::flat_hash_map<std::string, hlo::InstructionId> by_name_;
  absl::flat_hash_map<const NamedOp*, hlo::InstructionId> unnamed_;  // of ops without results
};

layout::Shape ShapeOf(const NamedValue& value);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_TESTING_PROGRAM_TEXT_NAMED_INSTRUCTIONS_H_
