// Shapes and layouts in the words of a command.
//
//   Shape shape = *ReadShape("f32[129,300]");
//   ReadLayoutOf(shape, "{0,1:T(8,128)}");      // f32[129,300]{0,1:T(8,128)}
//
// Errors have the text's line, column and caret, and the code of layout/error.h.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_SHAPE_TEXTS_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_SHAPE_TEXTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::pipeline {

// A valid shape; "-" reads it from standard input.
absl::StatusOr<layout::Shape> ReadShape(const std::string& argument);

// The array `shape` in the layout of that text, or the whole shape that the text has instead.
absl::StatusOr<layout::Shape> ReadLayoutOf(const layout::Shape& shape, const std::string& argument);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_SHAPE_TEXTS_H_
