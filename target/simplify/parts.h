// Instructions that several rules recognize or make: constants, sums and what a reduce computes; reshapes and transposes.

#ifndef TESSERA_TARGET_SIMPLIFY_PARTS_H_
#define TESSERA_TARGET_SIMPLIFY_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

using hlo::IntList;

// `dimensions` of an instruction; empty where there are none.
IntList DimensionsOf(const DeviceProgram& program, InstructionId id);

bool HasOnes(const layout::Shape& shape);
// Its sizes but those that are 1.
IntList SizesWithoutOnes(const layout::Shape& shape);

// x itself where it has this shape already.
InstructionId ReshapeTo(DeviceProgram& program, InstructionId x, const layout::Shape& shape);
// Dimension k of the result is dimension order[k] of x; x itself where nothing moves.
InstructionId TransposeTo(DeviceProgram& program, InstructionId x, absl::Span<const int64_t> order);

// The text of a constant of a type of floats; empty where the type has no such number.
std::string FloatText(layout::ElementType type, double value);

// The pad with other numbers.
InstructionId PadAs(DeviceProgram& program, InstructionId pad,
                    const std::vector<hlo::PaddingDimension>& padding, const layout::Shape& shape);

// What `slice` takes, counted from `place`, of another array.
InstructionId ShiftedSlice(DeviceProgram& program, InstructionId slice, InstructionId x,
                           const IntList& place);

// A computation that adds two scalars of the type.
ComputationId AddSum(DeviceProgram& program, layout::ElementType type);
// The type in which elements of this one are added.
layout::ElementType TypeOfSum(layout::ElementType type);
// Of what lies along these dimensions, which go.
InstructionId SumOver(DeviceProgram& program, InstructionId x, const IntList& dimensions);

// For each dimension of `from` the one of `to` that a reshape leaves as it is: of the same size,
// after as many elements; -1 for the others, for those of size 1, and where an array is empty.
IntList KeptByReshape(const layout::Shape& from, const layout::Shape& to);

// Dimensions [from, from_end) of the operand of a reshape are [to, to_end) of its result; no smaller part of
// them is.
struct ReshapePart {
  int64_t from = 0, from_end = 0, to = 0, to_end = 0;
};
// Nothing where an array is empty.
std::optional<std::vector<ReshapePart>> PartsOfReshape(const layout::Shape& from,
                                                       const layout::Shape& to);

// The opcode of a commutative instruction on two different parameters; nothing for another one.
std::optional<Opcode> OpcodeOnParameters(const DeviceProgram& program, InstructionId id);
// The commutative opcode that the called computation applies to its two parameters; nothing where it does more, or
// their order matters.
std::optional<Opcode> OnlyStep(const DeviceProgram& program, InstructionId id);

// The number that each element of a constant, or of the broadcast of one, is; nothing where they
// differ, are unknown, or are no real floats.
std::optional<double> FloatOf(const DeviceProgram& program, InstructionId id);

// All elements are 0.
bool IsZero(const DeviceProgram& program, InstructionId id);
// Of truth values.
bool IsTrue(const DeviceProgram& program, InstructionId id);

bool IsReduceOfOneArray(const DeviceProgram& program, InstructionId id);

// The same reduce, of one array, of `x` along these dimensions.
InstructionId ReduceOver(DeviceProgram& program, InstructionId reduce, InstructionId x,
                         const IntList& dimensions);

// A reduce of one array that adds from 0.
bool IsSum(const DeviceProgram& program, InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_PARTS_H_
