// Shapes from text in tests.

#ifndef TESSERA_TESTING_LAYOUT_TEST_SHAPE_H_
#define TESSERA_TESTING_LAYOUT_TEST_SHAPE_H_

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"

namespace tessera::layout {

// The shape of that text; a failure of the test and an empty tuple if there is none.
inline Shape ShapeFrom(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  return shape.ok() ? *shape : Shape();
}

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_TEST_SHAPE_H_
