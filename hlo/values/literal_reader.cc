// A literal is R nested levels of braces for an array of rank R, with a value at the innermost
// places. One loop walks the tokens and counts, for each level, what it has seen in the braces that
// are open. A closing brace must find the size of its dimension there. Commas may stand anywhere
// inside braces, as in XLA. Two oddities are XLA's as well: a bare value may stand for a whole
// array (the other elements are 0), and `{...}` for an array of unknown contents.

#include "tessera/hlo/values/literal_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/number_format.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;
using layout::Shape;

constexpr int kMaxNestedTuples = 1000;
// Of an array for which one value stands, which every form but `keep` writes out in full.
constexpr int64_t kMaxBareElements = int64_t{1} << 24;

// An integer token is an integer first, as in XLA: -0 has no sign, and what is above int64 wraps.
double NumberOf(absl::string_view token) {
  const absl::string_view digits = token.substr(token[0] == '-');
  const bool integer =
      std::all_of(digits.begin(), digits.end(), [](char c) { return HasClass(c, kDigitChar); });
  if (integer) return static_cast<double>(ParseIntToken(token).value_or(0));
  return std::strtod(std::string(token).c_str(), nullptr);
}

class ArrayReader {
 public:
  ArrayReader(Reader& in, const Shape& shape, Literal* literal)
      : in_(in),
        shape_(shape),
        type_(shape.element_type()),
        literal_(literal),
        seen_(shape.rank(), 0) {}

  bool Read() {
    if (!layout::IsArrayType(type_)) return in_.Fail("a literal of this type cannot be written");
    do {
      if (!ReadToken()) return false;
      if (level_ == 0) break;
      while (in_.Eat(',')) {
      }
    } while (true);
    return true;
  }

 private:
  int rank() const { return static_cast<int>(shape_.rank()); }

  bool ReadToken() {
    if (in_.Peek() == '{') return Open();
    if (in_.Peek() == '}') return Close();
    if (in_.Peek() == '.') return Elided();
    if (in_.Peek() == '(') return Complex();
    return Value();
  }

  bool Open() {
    if (level_ == rank()) {
      return in_.Fail(absl::StrCat("braces nested deeper than the ", rank(), " dimensions"));
    }
    if (level_ > 0 && ++seen_[level_ - 1] > shape_.dim(level_ - 1)) {
      return in_.Fail(absl::StrCat("more than the ", shape_.dim(level_ - 1),
                                   " elements of dimension ", level_ - 1));
    }
    ++level_;
    return in_.Eat('{');
  }

  bool Close() {
    if (level_ == 0) return in_.Fail("expected a value, not '}'");
    --level_;
    if (seen_[level_] != shape_.dim(level_)) {
      return in_.Fail(absl::StrCat("expected ", shape_.dim(level_), " entries in dimension ",
                                   level_, ", got ", seen_[level_]));
    }
    seen_[level_] = 0;
    return in_.Eat('}');
  }

  bool Elided() {
    const char* at = in_.at();
    if (level_ != 1 || seen_[0] != 0 || !in_.EatDots()) {
      return in_.FailAt(at, "`...` stands for a whole array, as {...}");
    }
    if (in_.Peek() != '}') return in_.Fail("nothing may stand beside `...`");
    seen_[0] = shape_.dim(0);
    if (literal_ != nullptr) literal_->elided = shape_.NumElements() != 0;
    return true;
  }

  // Counts one element; the place must be an innermost one, but for one bare value.
  bool Count(bool bare_allowed) {
    if (rank() == 0) return true;
    if (level_ != rank()) {
      const auto elements = shape_.NumElements();
      if (bare_allowed && level_ == 0 && elements != 0) {
        if (elements.has_value() && *elements <= kMaxBareElements) return true;
        return in_.Fail(absl::StrCat("one value stands for at most ", kMaxBareElements,
                                     " elements; write {...} for a constant without its values"));
      }
      return in_.Fail(
          absl::StrCat("expected ", rank(), " nested braces around a value, got ", level_));
    }
    if (++seen_[rank() - 1] <= shape_.dim(rank() - 1)) return true;
    return in_.Fail(
        absl::StrCat("more than the ", shape_.dim(rank() - 1), " elements of the last dimension"));
  }

  bool Complex() {
    if (!layout::IsComplex(type_)) return in_.Fail("brackets are for complex values only");
    if (!Count(false) || !in_.Eat('(')) return false;
    if (!FloatValue() || !in_.Expect(',', "between real and imaginary part")) return false;
    if (!FloatValue() || !in_.Expect(')', "after the imaginary part")) return false;
    SpreadNan();
    return true;
  }

  // XLA loads (nan, 0) as (nan, nan): its value, whatever the text says.
  void SpreadNan() {
    if (literal_ == nullptr) return;
    std::vector<uint64_t>& bits = literal_->bits;
    if (std::isnan(DecodeFloat(type_, bits[bits.size() - 2]))) bits.back() = bits[bits.size() - 2];
  }

  bool Value() {
    const char* at = in_.at();
    const bool is_bool = in_.PeekWord("true") || in_.PeekWord("false");
    if (is_bool) {
      if (type_ != ElementType::kPred) return in_.Fail("true and false are for pred only");
      if (!Count(true)) return false;
      Put(in_.PeekWord("true"));
      return in_.EatWord("true") || in_.EatWord("false");
    }
    if (layout::IsComplex(type_)) return in_.Fail("expected (real, imaginary)");
    const bool number = HasClass(*at, kDigitChar) || *at == '-' || *at == 'i' || *at == 'n';
    if (!number) return in_.Fail("expected a value of the literal");
    return Count(true) && (layout::IsFloat(type_) ? FloatValue() : IntValue());
  }

  bool IntValue() {
    const char* at = in_.at();
    int64_t value = 0;
    if (!in_.ReadInt(&value)) return in_.Fail("expected an integer");
    if (!IntegerFits(type_, value)) {
      return in_.FailAt(
          at, absl::StrCat(value, " is out of the range of ", layout::ElementTypeName(type_)));
    }
    const int width = layout::BitWidth(type_);
    if (type_ == ElementType::kPred) {
      Put(value != 0);
    } else {
      Put(width == 64 ? value : static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1));
    }
    return true;
  }

  // True for a plain number that every type but the narrow ones holds, which need not be converted
  // to know so.
  bool SurelyFits(absl::string_view token) const {
    const ElementType part = PartType(type_);
    if (literal_ != nullptr || token.size() > 30) return false;
    if (part != ElementType::kF32 && part != ElementType::kF64 && part != ElementType::kBf16) {
      return false;
    }
    for (char c : token) {
      if (!HasClass(c, kDigitChar) && c != '.' && c != '-') return false;
    }
    return true;
  }

  bool FloatValue() {
    const char* at = in_.at();
    absl::string_view token;
    if (!in_.ReadNumber(&token)) return in_.Fail("expected a number");
    if (SurelyFits(token)) return true;
    const bool negative = token[0] == '-';
    const absl::string_view word = token.substr(negative);
    if (word[0] == 'n') return NanValue(at, word, negative);
    uint64_t bits = 0;
    const double value = NumberOf(token);
    const bool written_infinite = word[0] == 'i';
    const bool fits =
        EncodeFloat(type_, value, &bits) && (written_infinite || std::isfinite(value));
    if (!fits) {
      return in_.FailAt(
          at, absl::StrCat(token, " is out of the range of ", layout::ElementTypeName(type_)));
    }
    Put(bits);
    return true;
  }

  bool NanValue(const char* at, absl::string_view word, bool negative) {
    const ElementType part = PartType(type_);
    if (!absl::ConsumePrefix(&word, "nan(0x")) {
      Put(QuietNan(part, negative));
      return true;
    }
    const uint64_t payload = std::strtoull(std::string(word).c_str(), nullptr, 16);
    const int width = PayloadBits(part);
    if (width == 0 || payload >> width != 0) {
      return in_.FailAt(
          at, absl::StrCat("the payload does not fit the NaN of ", layout::ElementTypeName(part)));
    }
    Put(NanWithPayload(part, negative, payload));
    return true;
  }

  void Put(uint64_t bits) {
    if (literal_ != nullptr) literal_->bits.push_back(bits);
  }

  Reader& in_;
  const Shape& shape_;
  const ElementType type_;
  Literal* literal_;
  absl::InlinedVector<int64_t, 6> seen_;
  int level_ = 0;
};

bool ReadNested(Reader& in, const Shape& shape, Literal* literal, int depth) {
  if (literal != nullptr) literal->shape = shape;
  if (!shape.is_tuple()) return ArrayReader(in, shape, literal).Read();
  if (depth > kMaxNestedTuples) return in.Fail("tuples are nested too deeply");
  if (!in.Expect('(', "before the elements of a tuple")) return false;
  bool first = true;
  for (const Shape& element : shape.tuple_elements()) {
    if (!first && !in.Expect(',', "between the elements of a tuple")) return false;
    first = false;
    Literal* part = literal == nullptr ? nullptr : &literal->elements.emplace_back();
    if (!ReadNested(in, element, part, depth + 1)) return false;
  }
  return in.Expect(')', "after the elements of a tuple");
}

}  // namespace

bool ReadLiteral(Reader& in, const Shape& shape, Literal* literal) {
  return ReadNested(in, shape, literal, 0);
}

namespace {

bool ReadTypedTuple(Reader& in, Literal* literal, int depth);

bool ReadTypedArray(Reader& in, Literal* literal) {
  text::Cursor cursor(in.Rest());
  const auto shape = layout::ParseShape(cursor);
  if (!shape.ok()) {
    return in.FailAt(in.offset() + static_cast<uint32_t>(text::ErrorOffset(shape.status())),
                     shape.status().message());
  }
  in.AdvanceTo(in.at() + cursor.offset());
  if (!ReadLiteral(in, *shape, literal)) return false;
  if (literal != nullptr) literal->shape = StoredShape(*shape);
  return true;
}

bool ReadTyped(Reader& in, Literal* literal, int depth) {
  if (depth > kMaxNestedTuples) return in.Fail("tuples are nested too deeply");
  return in.Peek() == '(' ? ReadTypedTuple(in, literal, depth) : ReadTypedArray(in, literal);
}

// A comma may stand after the last element.
bool ReadTypedTuple(Reader& in, Literal* literal, int depth) {
  std::vector<Shape> shapes;
  in.Eat('(');
  while (in.Peek() != ')') {
    Literal* part = literal == nullptr ? nullptr : &literal->elements.emplace_back();
    if (!ReadTyped(in, part, depth + 1)) return false;
    if (part != nullptr) shapes.push_back(part->shape);
    if (in.Peek() != ')' && !in.Expect(',', "between the elements of a tuple")) return false;
  }
  if (literal != nullptr) literal->shape = Shape::Tuple(std::move(shapes));
  return in.Eat(')');
}

}  // namespace

bool ReadTypedLiteral(Reader& in, Literal* literal) { return ReadTyped(in, literal, 0); }

}  // namespace tessera::hlo
