// The dimensions of a dot by their kind.

#ifndef TESSERA_TARGET_SIMPLIFY_DOT_PARTS_H_
#define TESSERA_TARGET_SIMPLIFY_DOT_PARTS_H_

#include <cstdint>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Those of one operand.
struct DotSide {
  hlo::IntList batch, contracting, free;
};

struct DotParts {
  DotSide left, right;
};

// A dot of two arrays that a pass may replace.
bool IsReplaceableDot(const DeviceProgram& program, InstructionId id);

// Of a dot of two arrays.
DotParts PartsOf(const DeviceProgram& program, InstructionId dot);

// How many elements the dimensions have together.
int64_t ElementsAlong(const layout::Shape& shape, const hlo::IntList& dimensions);

// Free dimensions follow from the others.
void SetParts(DeviceProgram& program, InstructionId dot, const DotParts& parts);

// The same product of other operands: its attributes, and these dimensions.
InstructionId CloneDot(DeviceProgram& program, InstructionId dot, InstructionId left,
                       InstructionId right, const DotParts& parts, const layout::Shape& shape);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_DOT_PARTS_H_
