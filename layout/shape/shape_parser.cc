// Reads shapes by recursive descent, one function per production of the grammar:
//
//   shape   = array | tuple | "token" "[" "]" | "opaque" "[" "]" | "b" "(" array ")"
//   tuple   = "(" [ shape { "," shape } ] ")"
//   array   = type "[" [ dim { "," dim } ] "]" [ layout ]
//   dim     = "?" | [ "<=" ] int
//   layout  = "{" [ int { "," int } ] [ ":" { suffix } ] "}"             (layout_parser.cc)
//
// The functions return false after a mistake, which the scanner keeps, so that the common way
// builds no Status at all. The first mistake in reading order wins: a number is checked against its
// range before the token after it is looked at.
//
// Linear in the text. Tested by shape_text_test.cc, shape_text_fuzz.cc and the parse cases.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape/layout_parser.h"
#include "tessera/layout/shape/shape_scanner.h"
#include "tessera/layout/shape_text.h"

namespace tessera::layout {
namespace {

class Parser {
 public:
  Parser(absl::string_view text, size_t offset) : in_(text, offset) {}

  bool ReadShape(Shape* shape);
  bool ReadStandaloneLayout(Layout* layout);
  bool ReadEnd();

  size_t offset() const { return in_.offset(); }
  const absl::Status& error() const { return in_.error(); }

 private:
  // A dimension list, before it is known to belong to an array.
  struct DimList {
    Shape::Dims sizes;
    absl::InlinedVector<bool, 8> dynamic;
    size_t last_offset = 0;
  };

  bool ReadTuple(Shape* shape);
  bool ReadTupleElements(std::vector<Shape>* elements);
  bool ReadBuffer(Shape* shape);
  bool ReadNamed(absl::string_view name, size_t offset, Shape* shape);
  bool ReadTokenOrOpaque(Shape kind, Shape* shape);
  bool ReadArray(ElementType type, Shape* shape);
  bool ReadDims(DimList* dims);
  bool ReadDim(DimList* dims);

  bool NextIsLayout();

  Scanner in_;
  int depth_ = 0;
};

bool Parser::ReadShape(Shape* shape) {
  if (in_.Peek() == '(') return ReadTuple(shape);
  const size_t offset = in_.NextOffset();
  absl::string_view name;
  if (!in_.ConsumeIdentifier(name)) {
    return in_.Fail("E_TYPE", "expected an element type such as f32, \"(\" or \"b(\"");
  }
  return ReadNamed(name, offset, shape);
}

bool Parser::ReadNamed(absl::string_view name, size_t offset, Shape* shape) {
  if (const auto type = ElementTypeFromName(name)) return ReadArray(*type, shape);
  if (name == "token") return ReadTokenOrOpaque(Shape::Token(), shape);
  if (name == "opaque") return ReadTokenOrOpaque(Shape::Opaque(), shape);
  const bool is_buffer = name == "b" && in_.Peek() == '(';
  if (is_buffer && depth_ < kMaxNestedShapes) return ReadBuffer(shape);
  if (is_buffer) return in_.FailAt(offset, "E_DEPTH", "shapes nested too deeply");
  return in_.FailAt(
      offset, "E_TYPE",
      absl::StrCat("expected an element type such as f32, \"(\" or \"b(\", found \"", name, "\""));
}

bool Parser::ReadTuple(Shape* shape) {
  if (depth_ == kMaxNestedShapes) return in_.Fail("E_DEPTH", "shapes nested too deeply");
  in_.Consume('(');
  ++depth_;
  std::vector<Shape> elements;
  if (!in_.Consume(')') && !ReadTupleElements(&elements)) return false;
  --depth_;
  *shape = Shape::Tuple(std::move(elements));
  return true;
}

bool Parser::ReadTupleElements(std::vector<Shape>* elements) {
  do {
    elements->emplace_back();
    if (!ReadShape(&elements->back())) return false;
  } while (in_.Consume(','));
  return in_.Consume(')') || in_.Fail("E_TUPLE", "expected \",\" or \")\" in a tuple");
}

bool Parser::ReadBuffer(Shape* shape) {
  in_.Consume('(');
  ++depth_;
  const size_t inner_offset = in_.NextOffset();
  Shape inner;
  if (!ReadShape(&inner)) return false;
  if (!inner.is_array()) {
    return in_.FailAt(inner_offset, "E_BUFFER", "a buffer holds exactly one array");
  }
  --depth_;
  *shape = Shape::Buffer(std::move(inner));
  return in_.Expect(')', "E_RPAREN");
}

bool Parser::ReadTokenOrOpaque(Shape kind, Shape* shape) {
  DimList dims;
  if (!ReadDims(&dims)) return false;
  if (!dims.sizes.empty()) {
    return in_.FailAt(dims.last_offset, "E_NONARRAY_DIMS", "token and opaque have no dimensions");
  }
  if (NextIsLayout()) return in_.Fail("E_NONARRAY_LAYOUT", "token and opaque have no layout");
  *shape = std::move(kind);
  return true;
}

bool Parser::ReadArray(ElementType type, Shape* shape) {
  DimList dims;
  if (!ReadDims(&dims)) return false;
  const int64_t rank = static_cast<int64_t>(dims.sizes.size());
  *shape = Shape::Array(type, dims.sizes, std::nullopt);
  for (int64_t i = 0; i < rank; ++i) {
    if (dims.dynamic[i]) shape->set_dynamic(i, true);
  }
  if (!NextIsLayout()) {
    shape->set_layout(Layout::Descending(rank));
    return true;
  }
  Layout& layout = shape->emplace_layout();
  if (!ReadLayout(in_, &layout)) return false;
  if (layout.rank() == rank) return true;
  return in_.Fail("E_M2M_SIZE",
                  absl::StrCat("layout lists ", layout.rank(), " dimensions, shape has ", rank));
}

bool Parser::ReadDims(DimList* dims) {
  if (!in_.Consume('[')) return in_.Fail("E_LSQUARE", "expected \"[\" after the element type");
  if (in_.Consume(']')) return true;
  do {
    if (!ReadDim(dims)) return false;
  } while (in_.Consume(','));
  return in_.Consume(']') || in_.Fail("E_RSQUARE", "expected \",\" or \"]\" in the dimension list");
}

bool Parser::ReadDim(DimList* dims) {
  dims->last_offset = in_.NextOffset();
  int64_t size = Shape::kUnbounded;
  bool dynamic = true;
  if (!in_.Consume('?')) {
    dynamic = in_.Consume("<=");
    const size_t offset = in_.NextOffset();
    if (!in_.ReadInt(&size)) return in_.Fail("E_DIM", "expected a dimension size");
    if (size < 0) return in_.FailAt(offset, "E_DIM_RANGE", "dimension size must not be negative");
  }
  dims->sizes.push_back(size);
  dims->dynamic.push_back(dynamic);
  return true;
}

bool Parser::NextIsLayout() {
  const size_t start = in_.offset();
  const bool is_layout = in_.Consume('{') && (in_.Peek() == ':' || in_.NextIsInt());
  in_.set_offset(start);
  return is_layout;
}

bool Parser::ReadStandaloneLayout(Layout* layout) {
  if (in_.Peek() != '{') return in_.Fail("E_LBRACE", "expected \"{\"");
  return ReadLayout(in_, layout);
}

bool Parser::ReadEnd() {
  return in_.AtEnd() || in_.Fail("E_TRAILING", "unexpected text after the shape");
}

}  // namespace

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  Parser parser(text, 0);
  Shape shape;
  if (!parser.ReadShape(&shape) || !parser.ReadEnd()) return parser.error();
  return shape;
}

absl::StatusOr<Shape> ParseShape(text::Cursor& cursor) {
  Parser parser(cursor.text(), cursor.offset());
  Shape shape;
  if (!parser.ReadShape(&shape)) return parser.error();
  cursor.set_offset(parser.offset());
  return shape;
}

absl::StatusOr<Layout> ParseLayout(absl::string_view text) {
  Parser parser(text, 0);
  Layout layout;
  if (!parser.ReadStandaloneLayout(&layout) || !parser.ReadEnd()) return parser.error();
  return layout;
}

}  // namespace tessera::layout
