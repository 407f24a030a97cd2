// One way of making a module smaller, as data.
//
//   for (const Step& step : ValueSteps()) {
//     std::vector<Candidate> candidates = step.find(module);
//     for (const Candidate& c : candidates) step.apply(builder, c);
//   }
//
// A step keeps a module well-typed. Several candidates of one list may be applied one after the
// other if the last comes first; Tidy() (tidy.h) clears away instructions that they leave without
// users.

#ifndef TESSERA_TESTING_REDUCE_STEP_H_
#define TESSERA_TESTING_REDUCE_STEP_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/builder.h"
#include "tessera/hlo/module.h"

namespace tessera::testing::reduce {

// A place: an instruction, and which part of it (an operand, an element, an attribute).
struct Candidate {
  hlo::InstructionId id = hlo::kNoId;
  uint32_t part = 0;
};

struct Step {
  const char* name;
  std::vector<Candidate> (*find)(const hlo::Module& module);
  void (*apply)(hlo::Builder& builder, Candidate candidate);
};

// Elements of the result and of the state of loops go, as do parameters that nobody reads.
std::vector<Step> ElementSteps();
// A called computation becomes the entry or a part of its caller.
std::vector<Step> CallSteps();
// Instructions give way to parameters, operands, zeros.
std::vector<Step> ValueSteps();
// Shardings, metadata and other marks go, of instructions and of the module.
std::vector<Step> MarkSteps();

// The instructions of all computations that are there, in order of the text.
std::vector<hlo::InstructionId> InstructionsOf(const hlo::Module& module);

// Zeros of the shape, in `computation`; kNoId for a shape that has none (a tuple, a token).
hlo::InstructionId AddZeros(hlo::Builder& builder, hlo::ComputationId computation,
                            const layout::Shape& shape);

}  // namespace tessera::testing::reduce

#endif  // TESSERA_TESTING_REDUCE_STEP_H_
