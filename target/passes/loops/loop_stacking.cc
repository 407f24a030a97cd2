// A sum whose result only fills a part of an element of the loop's tuple, another one each trip:
//
//   all-reduce -> (reshape, convert)* -> dynamic-update-slice of element k, at constants and once at
//   the counter (or the last one minus it), where the part has size 1 -> element k

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/target/passes/loops/loop_match.h"

namespace tessera::target {
namespace {

class StackingMatcher {
 public:
  StackingMatcher(const DeviceProgram& program, const CarriedLoop& loop, const Counter& counter)
      : program_(program), loop_(loop), counter_(counter) {}

  std::optional<Stacking> Match(InstructionId all_reduce) {
    found_.region = program_.shape(all_reduce).WithoutLayout();
    InstructionId last = all_reduce;
    InstructionId user = program_.OnlyUser(last);
    for (; user != kNoId && IsPassed(user); user = program_.OnlyUser(user)) {
      found_.region = program_.shape(user).WithoutLayout();
      last = user;
    }
    bool is_stacked = false;
    for (; user != kNoId && program_.opcode(user) == Opcode::kDynamicUpdateSlice;
         user = program_.OnlyUser(user)) {
      if (program_.operand(user, 1) != last || !AddOffsets(user)) return std::nullopt;
      is_stacked = true;
      last = user;
    }
    if (!is_stacked || user != loop_.root) return std::nullopt;
    const auto element = OnlyElement(program_, loop_, last);
    if (!element.has_value()) return std::nullopt;
    found_.element = *element;
    return found_;
  }

 private:
  bool IsPassed(InstructionId id) const {
    return program_.opcode(id) == Opcode::kReshape || program_.opcode(id) == Opcode::kConvert;
  }

  bool AddOffsets(InstructionId update) {
    const auto rank = static_cast<size_t>(program_.shape(update).rank());
    found_.offsets.resize(rank, 0);
    for (size_t d = 0; d < rank; ++d) {
      const InstructionId index = program_.operand(update, d + 2);
      const auto constant = program_.opcode(index) == Opcode::kConstant
                                ? hlo::SplatInt(program_.module(), index)
                                : std::nullopt;
      if (constant.has_value()) {
        found_.offsets[d] += *constant;
      } else if (IsCounter(index) && found_.region.dim(static_cast<int64_t>(d)) == 1) {
        found_.region.set_dim(static_cast<int64_t>(d), counter_.trips);
      } else {
        return false;
      }
    }
    return true;
  }

  // The counter, or the last one minus it.
  bool IsCounter(InstructionId index) const {
    if (program_.opcode(index) == Opcode::kSubtract &&
        program_.opcode(program_.operand(index, 0)) == Opcode::kConstant &&
        hlo::SplatInt(program_.module(), program_.operand(index, 0)) == counter_.trips - 1) {
      index = program_.operand(index, 1);
    }
    return ElementRead(program_, loop_, index) == counter_.element;
  }

  const DeviceProgram& program_;
  const CarriedLoop& loop_;
  const Counter counter_;
  Stacking found_;
};

}  // namespace

std::optional<Stacking> FindStacking(const DeviceProgram& program, const CarriedLoop& loop,
                                     const Counter& counter, InstructionId all_reduce,
                                     int64_t max_bytes) {
  const layout::Shape& shape = program.shape(all_reduce);
  if (!shape.is_array()) return std::nullopt;
  int64_t bytes = layout::DataBytes(shape);
  if (__builtin_mul_overflow(bytes, counter.trips, &bytes) || bytes > max_bytes) {
    return std::nullopt;
  }
  return StackingMatcher(program, loop, counter).Match(all_reduce);
}

}  // namespace tessera::target
