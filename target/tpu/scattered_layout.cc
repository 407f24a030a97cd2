// What the readers of a sum ask of the layout of its parts.
//
//   part of bf16[384,768] -> elementwise -> dot        lies as the whole sum does: {1,0}
//   part of f32[N,4,64] -> reshape f32[N,256] -> dot   is row-major: {2,1,0}
//
// Other parts become results, at last, which have the layout that pads least. Read from the final modules of
// Newton-Schulz steps and of attention over the edges of a graph. Cost: linear in what lies between a sum and the
// products. Tested by tpu_passes_test.cc.

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/elementwise.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/tpu/scattered_part.h"

namespace tessera::target {
namespace {

struct PartReaders {
  bool are_products = false;  // all of them, maybe element by element and in parts
  bool join_columns = false;  // one reads a reshape that joins the two most minor dimensions
};

bool JoinsColumns(const DeviceProgram& program, InstructionId reshape) {
  const layout::Shape& from = program.shape(program.operand(reshape, 0));
  return from.rank() > 2 && !HasOnes(from) &&
         KeptByReshape(from, program.shape(reshape)).back() < 0;
}

PartReaders PartReadersOf(const DeviceProgram& program, InstructionId sum) {
  PartReaders readers;
  std::vector<InstructionId> read = {sum};
  absl::flat_hash_set<InstructionId> seen;
  while (!read.empty()) {
    const InstructionId x = read.back();
    read.pop_back();
    for (const InstructionId user : program.Users(x)) {
      const Opcode opcode = program.opcode(user);
      readers.are_products |= opcode == Opcode::kDot;
      if (opcode == Opcode::kDot || !seen.insert(user).second) continue;
      const bool moves = opcode == Opcode::kDynamicSlice || opcode == Opcode::kReshape;
      if (!moves && !hlo::IsElementwise(opcode)) return {};
      readers.join_columns |= opcode == Opcode::kReshape && JoinsColumns(program, user);
      read.push_back(user);
    }
  }
  return readers;
}

uint64_t Bit(int64_t dimension) { return uint64_t{1} << dimension; }

}  // namespace

MinorChoice PreferenceOfReadSum(const ArraySizes& sizes, const LayoutPreferences& preferences,
                                const DeviceProgram& program, InstructionId sum) {
  const InstructionId x = program.operand(sum, 0);
  const MinorChoice preference = PreferenceOfSum(preferences, program.module(), x);
  const PartReaders readers = PartReadersOf(program, sum);
  if (!readers.are_products) return preference;
  const int64_t rank = program.shape(x).rank();
  if (readers.join_columns) return {Bit(rank - 1), Bit(rank - 2)};
  const layout::Shape laid = sizes.Laid(program.shape(x), preference);
  return {Bit(laid.layout().minor_to_major[0]), preference.second};
}

}  // namespace tessera::target
