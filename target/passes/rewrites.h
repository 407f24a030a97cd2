// Single instructions that passes add.
//
//   AddReshape(program, x, {8, 4});
//   Resized(program.shape(x), {8, 4});      // the shape: its element type, default layout

#ifndef TESSERA_TARGET_PASSES_REWRITES_H_
#define TESSERA_TARGET_PASSES_REWRITES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// The order of its two operands means nothing.
bool IsCommutative(Opcode opcode);

// An array of these sizes, of the same element type.
layout::Shape Resized(const layout::Shape& like, absl::Span<const int64_t> sizes);
// The same elements, with dimension d as `parts` equal ones: f32[6,8] and d 1 in 2 parts are f32[6,2,4].
layout::Shape SplitDimension(const layout::Shape& like, int64_t d, int64_t parts);
// The same sizes with another element type.
layout::Shape Retyped(const layout::Shape& like, layout::ElementType type);

InstructionId AddReshape(DeviceProgram& program, InstructionId operand, const layout::Shape& shape);
// The same elements in another shape; in XLA, which gives results the layout that it takes, no work.
InstructionId AddBitcast(DeviceProgram& program, InstructionId operand, const layout::Shape& shape);
InstructionId AddConvert(DeviceProgram& program, InstructionId operand, layout::ElementType type);
// Elements of a range of each dimension; `shape` is that of the part.
InstructionId AddSlice(DeviceProgram& program, InstructionId operand,
                       const std::vector<hlo::SliceDimension>& ranges, const layout::Shape& shape);
// The first `limits` elements of each dimension.
InstructionId AddSlice(DeviceProgram& program, InstructionId operand,
                       absl::Span<const int64_t> limits);
// Elements from `begin` up to `end` of one dimension, and all of the others.
InstructionId SliceAlong(DeviceProgram& program, InstructionId operand, int64_t dimension,
                         int64_t begin, int64_t end);
// Arrays one after another along a dimension; `shape` is that of the whole.
InstructionId AddConcatenate(DeviceProgram& program, absl::Span<const InstructionId> parts,
                             const layout::Shape& shape, int64_t dimension);
// The part of `shape` that begins at `starts`, one for each dimension.
InstructionId AddDynamicSlice(DeviceProgram& program, InstructionId operand,
                              absl::Span<const InstructionId> starts, const layout::Shape& shape);
// `value` after the elements of each dimension, up to `sizes`.
InstructionId AddPadAfter(DeviceProgram& program, InstructionId operand, InstructionId value,
                           absl::Span<const int64_t> sizes);
// The same with zeros; the operand itself if it has these sizes.
InstructionId PadWithZeros(DeviceProgram& program, InstructionId operand,
                           absl::Span<const int64_t> sizes);
// `dimensions` says where those of the operand are in `shape`.
InstructionId AddBroadcast(DeviceProgram& program, InstructionId operand,
                           const layout::Shape& shape, absl::Span<const int64_t> dimensions);
// A scalar in each element of `shape`; itself if that is one.
InstructionId InEachElement(DeviceProgram& program, InstructionId scalar,
                            const layout::Shape& shape);
// The instructions of `from` once more in `to`, of these parameters: by instruction.
absl::flat_hash_map<InstructionId, InstructionId> CloneInstructions(
    DeviceProgram& program, ComputationId from, ComputationId to,
    absl::Span<const InstructionId> parameters);
// The same: the root's.
InstructionId CloneBody(DeviceProgram& program, ComputationId from, ComputationId to,
                        absl::Span<const InstructionId> parameters);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_REWRITES_H_
