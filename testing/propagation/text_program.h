// Small programs as text, for tables of tests. One op a line, in program order:
//
//   x 8x8 [{a,?},{?}] = arg
//   y 8x8 = ew x
//   z 8x8 = op y x : ([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}
//   return z [{?},{a}]
//
// A line is: name, shape (`s` for a scalar), sharding if it has one, op, operands, rule. Ops:
//   arg         an argument; all of them first
//   ew          element-wise, identity rule; may be erased when dead
//   constraint  the same, never erased
//   pass, op, bcast, dslice     by the rule; pass-through op, other, broadcast, dynamic slice
//   barrier:FORWARD (NONE, BACKWARD, BOTH)
//   opt         optimization barrier of one operand; the result named is that of its edge
// `return` lists values, each followed by the sharding of the output if it has one. A line
// `group x y` makes a sharding group.

#ifndef TESSERA_TESTING_PROPAGATION_TEXT_PROGRAM_H_
#define TESSERA_TESTING_PROPAGATION_TEXT_PROGRAM_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/sharding/propagation/step/tables.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::sharding::propagation {

class TextProgram {
 public:
  // The text must be right: a test that is written wrongly fails with an exception.
  TextProgram(std::vector<MeshAxis> axes, absl::string_view text);

  const NumberedProgram& program() const { return program_.numbered(); }
  Tables tables() { return program_.tables(); }
  RuleSource rule_source() const { return program_.rule_source(); }

  // Propagates; the sharding of each named value, "" where it has none. The outputs are named
  // `return0`, `return1`, ..
  std::map<std::string, std::string> Run(const Options& options, Observer* observer = nullptr);

  std::string Text(ShardingId id);

 private:
  class Parser;

  TestProgram program_;
  std::map<std::string, program::Value*> values_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_TEXT_PROGRAM_H_
