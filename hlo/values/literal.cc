#include "tessera/hlo/literal.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/number_format.h"
#include "tessera/hlo/values/literal_reader.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

using layout::ElementType;
using layout::Shape;

int64_t Literal::num_elements() const {
  return shape.is_array() ? shape.NumElements().value_or(0) : 0;
}

int64_t Literal::IntAt(int64_t index) const {
  const int unused = 64 - layout::BitWidth(shape.element_type());
  const uint64_t value = BitsAt(index);
  if (!layout::IsSigned(shape.element_type())) return static_cast<int64_t>(value);
  return static_cast<int64_t>(value << unused) >> unused;
}

namespace {

template <typename Read>
absl::StatusOr<Literal> ReadWhole(absl::string_view text, Read read) {
  std::string padded(text);
  padded.append(64, '\0');
  Reader in(padded, 0, text.size());
  Literal literal;
  if (!read(in, &literal)) return text::ErrorAt(in.error().offset, in.error().message);
  if (!in.AtEnd()) return text::ErrorAt(in.offset(), "expected the end of the literal");
  return literal;
}

}  // namespace

absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const Shape& shape) {
  return ReadWhole(text,
                   [&](Reader& in, Literal* literal) { return ReadLiteral(in, shape, literal); });
}

absl::StatusOr<Literal> ParseTypedLiteral(absl::string_view text) {
  return ReadWhole(text, ReadTypedLiteral);
}

bool HasStoredShape(const Shape& shape) {
  if (shape.is_tuple()) {
    const auto& elements = shape.tuple_elements();
    return std::any_of(elements.begin(), elements.end(), HasStoredShape);
  }
  return shape.has_dynamic_dim() || (shape.has_layout() && shape.layout().element_bits != 0);
}

Shape StoredShape(const Shape& shape) {
  if (!HasStoredShape(shape)) return shape;
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_elements()) elements.push_back(StoredShape(element));
    return Shape::Tuple(std::move(elements));
  }
  Shape stored = shape;
  for (int64_t i = 0; i < shape.rank(); ++i) stored.set_dynamic(i, false);
  if (stored.has_layout()) stored.mutable_layout().element_bits = 0;
  return stored;
}

namespace {

class Printer {
 public:
  explicit Printer(const Literal& literal)
      : literal_(literal),
        type_(literal.shape.element_type()),
        rank_(static_cast<int>(literal.shape.rank())) {}

  std::string Print() {
    if (rank_ == 0) return Element();
    Array(0, 0);
    return std::move(out_);
  }

 private:
  std::string Element() {
    if (type_ == ElementType::kPred && rank_ == 0)
      return literal_.BitsAt(next_++) ? "true" : "false";
    if (!layout::IsComplex(type_)) return PrintElement(type_, literal_.BitsAt(next_++));
    const std::string re = PrintElement(type_, literal_.BitsAt(next_++));
    return absl::StrCat("(", re, ", ", PrintElement(type_, literal_.BitsAt(next_++)), ")");
  }

  // The sub-array number `index` at this depth. Its braces stand apart from its elements but for
  // an innermost one of fewer than two elements; levels between the ends count in a comment.
  void Array(int depth, int64_t index) {
    const int64_t size = literal_.shape.dim(depth);
    const bool innermost = depth == rank_ - 1;
    const bool tight = innermost && (rank_ == 1 || size < 2);
    out_ += tight ? "{" : "{ ";
    if (rank_ >= 4 && depth > 0 && !innermost) {
      absl::StrAppend(&out_, "/*i", depth - 1, "=", index, "*/ ");
      if (size == 0) out_.pop_back();
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ", ";
      if (innermost) {
        out_ += Element();
      } else {
        Array(depth + 1, i);
      }
    }
    out_ += tight ? "}" : " }";
  }

  const Literal& literal_;
  const ElementType type_;
  const int rank_;
  int64_t next_ = 0;
  std::string out_;
};

// An array without elements that has rows nevertheless, each a pair of braces: f32[2147483648,0].
bool HasTooManyRows(const Shape& shape) {
  constexpr int64_t kMaxRows = 1 << 20;
  if (!shape.is_array() || shape.NumElements() != 0) return false;
  int64_t rows = 1;
  for (const int64_t size : shape.dims()) {
    if (size == 0) return false;
    if (rows > kMaxRows / size) return true;
    rows *= size;
  }
  return false;
}

}  // namespace

std::string PrintLiteral(const Literal& literal) {
  if (!literal.shape.is_tuple()) {
    const bool is_elided = literal.elided || HasTooManyRows(literal.shape);
    return is_elided ? "{...}" : Printer(literal).Print();
  }
  std::string out = "( ";
  for (const Literal& element : literal.elements) {
    absl::StrAppend(&out, out.size() > 2 ? ", " : "", PrintLiteral(element));
  }
  return out + " )";
}

std::string PrintTypedLiteral(const Literal& literal) {
  if (!literal.shape.is_tuple()) {
    return absl::StrCat(layout::ShapeToString(literal.shape), " ", PrintLiteral(literal));
  }
  return absl::StrCat("( ",
                      absl::StrJoin(literal.elements, ", ",
                                    [](std::string* out, const Literal& element) {
                                      *out += PrintTypedLiteral(element);
                                    }),
                      " )");
}

bool IsSplat(const Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  if (!shape.is_array()) return false;
  const auto literal = ParseLiteral(module.LiteralText(id), shape);
  if (!literal.ok() || literal->elided || literal->bits.empty()) return false;
  const size_t step = layout::IsComplex(shape.element_type()) ? 2 : 1;
  const auto& bits = literal->bits;
  if (static_cast<int64_t>(bits.size() / step) < literal->num_elements()) {
    return std::all_of(bits.begin(), bits.end(), [](uint64_t b) { return b == 0; });
  }
  return std::equal(bits.begin() + step, bits.end(), bits.begin());
}

std::optional<int64_t> SplatInt(const Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  const ElementType type = shape.element_type();
  if (!shape.is_array() || !(layout::IsInteger(type) || type == ElementType::kPred)) {
    return std::nullopt;
  }
  if (!IsSplat(module, id)) return std::nullopt;
  return ParseLiteral(module.LiteralText(id), shape)->IntAt(0);
}

}  // namespace tessera::hlo
