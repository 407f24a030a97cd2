// Changes that would give an array less padding, and the line of Python for each.
//
//   const std::optional<answers::BetterLayout> fix = FixOf(shape);   // f32[64,4,100]{2,1,0:T(4,128)}
//   fix->shape();      // "f32[64,4,100]{2,0,1:T(8,128)}": what it would be
//   fix->bytes();      // what that takes
//   fix->python();     // "Layout(major_to_minor=(1, 0, 2))"
//
// Two things are tried, each by the exact rule of the target (layout/tpu_layout.h). One is the order
// of dimensions that pads least. The other is two neighbouring dimensions made one, in which case
// the program has to use the array in that form. The one that takes least, the order first. Sizes
// are those of a device; the line names dimensions only. Only arrays in tiles have fixes. Tested by
// layout_fixes_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_FIXES_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_FIXES_H_

#include <optional>

#include "tessera/layout/shape.h"
#include "tessera/pipeline/schema/program_layouts_answer.pb.h"

namespace tessera::pipeline {

// Nothing where neither takes less.
std::optional<answers::BetterLayout> FixOf(const layout::Shape& array);

// The array as it is, so that nothing copies it into this layout. Nothing for one without an order.
std::optional<answers::BetterLayout> FixAs(const layout::Shape& array);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_FIXES_H_
