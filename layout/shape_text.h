// Shapes and layouts as text, in the form that HLO uses.
//
//   StatusOr<Shape> a = ParseShape("bf16[4,8]{1,0:T(8,128)(2,1)S(1)}");
//   StatusOr<Shape> t = ParseShape("(f32[2], /*c*/ s32[<=7,?], token[], b(f32[4]))");
//   ShapeToString(*t);                    // "(f32[2]{0}, s32[<=7,?]{1,0}, token[], b(f32[4]{0}))"
//   ShapeToString(*t, kNoLayout);         // "(f32[2], s32[<=7,?], token[], b(f32[4]))"
//
// Array text without `{...}` gets the default layout. Parsing checks grammar and the ranges that
// the data can hold; whether a shape makes sense is another question (validate.h). Comments
// (`/* */`, `//`) and blanks may stand between any two tokens. Tuples and buffers may nest 1000
// deep.
//
// An error carries its byte offset (text::ErrorOffset) and its E_ code (ErrorCode); text::Located
// gives it line, column and caret. Parsing a common shape takes well under a microsecond and, up to
// rank 6 and two tiles, no heap memory.

#ifndef TESSERA_LAYOUT_SHAPE_TEXT_H_
#define TESSERA_LAYOUT_SHAPE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/shape.h"
#include "tessera/text/cursor.h"

namespace tessera::layout {

inline constexpr int kMaxNestedShapes = 1000;

// The whole text is one shape.
absl::StatusOr<Shape> ParseShape(absl::string_view text);

// A shape at the cursor, which moves after the shape's last byte. After an array, `{` belongs to
// it only if an integer or ':' follows, so that "f32[3] {" ends before the brace.
absl::StatusOr<Shape> ParseShape(text::Cursor& cursor);

// A layout that stands alone, "{1,0:T(2,2)}" or "{}", as the whole text.
absl::StatusOr<Layout> ParseLayout(absl::string_view text);

struct PrintOptions {
  bool layout = true;                // false leaves layouts out, inside tuples too
  bool tuple_index_comments = true;  // "/*index=5*/" before every fifth element, as XLA prints it
};

inline constexpr PrintOptions kNoLayout = {false};

std::string ShapeToString(const Shape& shape, const PrintOptions& options = {});
std::string LayoutToString(const Layout& layout);

// Appends to `out` what ShapeToString gives.
void AppendShape(const Shape& shape, const PrintOptions& options, std::string* out);
void AppendLayout(const Layout& layout, std::string* out);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_TEXT_H_
