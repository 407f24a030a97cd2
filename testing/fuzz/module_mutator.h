// Changes an HLO text a little, to make a compiler fail. It exchanges opcodes, operands, shapes,
// attributes and called computations between instructions. It repeats instructions, or takes them
// from another module, together with the computations that they call.
//
//   Mutator mutate(seed);
//   std::string other = mutate.Change(text);
//   std::string child = mutate.Cross(text, another);
//
// Many mutants get past the verifier: half of the operands are exchanged for values of the same
// shape, and opcodes for those with as many operands. A text that does not parse, or has no
// instructions, comes back with one byte changed. The same seed gives the same mutants.
#ifndef TESSERA_TESTING_FUZZ_MODULE_MUTATOR_H_
#define TESSERA_TESTING_FUZZ_MODULE_MUTATOR_H_

#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::testing {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string Change(absl::string_view text);
  // An instruction of `other` put into `text`, with copies of what it calls in front of the first
  // computation. Those get new names, its operands are values of `text`.
  std::string Cross(absl::string_view text, absl::string_view other);

 private:
  // A part of the text and what comes in its place.
  struct Edit {
    hlo::SourceRange range;
    std::string text;
  };
  using Change1 = bool (Mutator::*)(const hlo::Module&, hlo::InstructionId, Edit*);

  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  hlo::InstructionId AnyWritten(const hlo::Module& module);
  std::string ChangeByte(absl::string_view text);

  // An earlier value in the computation of `at`, of that shape if there is one at hand; kNoId if
  // there is none at all.
  hlo::InstructionId EarlierValue(const hlo::Module& m, hlo::InstructionId at,
                                  const layout::Shape& shape);

  bool Opcode(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Operand(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Shape(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Value(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Number(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool DropAttribute(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool AddSharding(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Callee(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Repeat(const hlo::Module& m, hlo::InstructionId id, Edit* edit);
  bool Use(const hlo::Module& m, hlo::InstructionId id, Edit* edit);

  std::mt19937 random_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FUZZ_MODULE_MUTATOR_H_
