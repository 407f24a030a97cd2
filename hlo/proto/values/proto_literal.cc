// Elements of 8 bits and less, and the 16-bit ones, are bytes of one string; the wider ones are
// numbers of a repeated field. One row a type says which field; a value is its bits on this side,
// so that NaNs keep theirs.

#include "tessera/hlo/proto/values/proto_literal.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "tessera/hlo/number_format.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using layout::ElementType;
using layout::Shape;

namespace {

// preds, s4s, f8e5m2s, ...
const FieldDescriptor* FieldOf(ElementType type) {
  return pb::LiteralProto::descriptor()->FindFieldByName(
      absl::StrCat(layout::ElementTypeName(type), "s"));
}

template <typename To, typename From>
To CastBits(From from) {
  To to = 0;
  std::memcpy(&to, &from, sizeof(from) < sizeof(to) ? sizeof(from) : sizeof(to));
  return to;
}

// Bits of number `i` of a repeated field.
uint64_t BitsAt(const pb::LiteralProto& proto, const FieldDescriptor* field, int i) {
  const Reflection* r = proto.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return r->GetRepeatedBool(proto, field, i) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_INT32:
      return static_cast<uint32_t>(r->GetRepeatedInt32(proto, field, i));
    case FieldDescriptor::CPPTYPE_UINT32:
      return r->GetRepeatedUInt32(proto, field, i);
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<uint64_t>(r->GetRepeatedInt64(proto, field, i));
    case FieldDescriptor::CPPTYPE_UINT64:
      return r->GetRepeatedUInt64(proto, field, i);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return CastBits<uint64_t>(r->GetRepeatedFloat(proto, field, i));
    default:
      return CastBits<uint64_t>(r->GetRepeatedDouble(proto, field, i));
  }
}

void AddBits(uint64_t bits, const FieldDescriptor* field, pb::LiteralProto* proto) {
  const Reflection* r = proto->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return r->AddBool(proto, field, bits != 0);
    case FieldDescriptor::CPPTYPE_INT32:
      return r->AddInt32(proto, field, static_cast<int32_t>(bits));
    case FieldDescriptor::CPPTYPE_UINT32:
      return r->AddUInt32(proto, field, static_cast<uint32_t>(bits));
    case FieldDescriptor::CPPTYPE_INT64:
      return r->AddInt64(proto, field, static_cast<int64_t>(bits));
    case FieldDescriptor::CPPTYPE_UINT64:
      return r->AddUInt64(proto, field, bits);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r->AddFloat(proto, field, CastBits<float>(bits));
    default:
      return r->AddDouble(proto, field, CastBits<double>(bits));
  }
}

// All values in order of memory.
std::vector<uint64_t> ValuesOf(const pb::LiteralProto& proto, const FieldDescriptor* field,
                               ElementType type) {
  std::vector<uint64_t> values;
  const Reflection* r = proto.GetReflection();
  if (field->is_repeated()) {
    for (int i = 0; i < r->FieldSize(proto, field); ++i) {
      values.push_back(BitsAt(proto, field, i));
    }
    return values;
  }
  const std::string bytes = r->GetString(proto, field);
  const size_t width = static_cast<size_t>(layout::ByteWidth(type));
  const int bits = layout::BitWidth(type);
  for (size_t i = 0; i + width <= bytes.size(); i += width) {
    uint64_t value = static_cast<uint8_t>(bytes[i]);
    if (width == 2) value |= uint64_t{static_cast<uint8_t>(bytes[i + 1])} << 8;
    values.push_back(value & ((uint64_t{1} << bits) - 1));
  }
  return values;
}

void StoreValues(const std::vector<uint64_t>& values, ElementType type, pb::LiteralProto* proto) {
  const FieldDescriptor* field = FieldOf(type);
  if (field->is_repeated()) {
    for (uint64_t value : values) AddBits(value, field, proto);
    return;
  }
  std::string bytes;
  for (uint64_t value : values) {
    bytes.push_back(static_cast<char>(value));
    if (layout::ByteWidth(type) == 2) bytes.push_back(static_cast<char>(value >> 8));
  }
  proto->GetReflection()->SetString(proto, field, std::move(bytes));
}

// For each place in memory the row-major number of the element there.
std::vector<size_t> MemoryOrder(const Shape& shape, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (!shape.has_layout() || shape.layout().rank() != shape.rank() || count == 0) return order;
  std::vector<size_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<size_t>(shape.dim(static_cast<int64_t>(i)));
  }
  std::vector<int64_t> index(strides.size(), 0);
  size_t at = 0;
  for (size_t place = 0; place < count; ++place) {
    order[place] = at;
    for (int64_t dim : shape.layout().minor_to_major) {
      at += strides[dim];
      if (++index[dim] < shape.dim(dim)) break;
      at -= strides[dim] * static_cast<size_t>(index[dim]);
      index[dim] = 0;
    }
  }
  return order;
}

bool IsPermutation(const layout::Layout& layout, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  if (layout.rank() != rank) return false;
  for (int64_t dim : layout.minor_to_major) {
    if (dim < 0 || dim >= rank || seen[dim]) return false;
    seen[dim] = true;
  }
  return true;
}

absl::StatusOr<Literal> ArrayFromProto(const pb::LiteralProto& proto, Shape shape) {
  const auto bad = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal of ", layout::ShapeToString(shape), ": ", what));
  };
  const FieldDescriptor* field = FieldOf(shape.element_type());
  if (!shape.is_array() || field == nullptr) return bad("no shape for a literal");
  if (shape.has_layout() && !IsPermutation(shape.layout(), shape.rank())) return bad("bad layout");
  const auto count = shape.NumElements();
  const std::vector<uint64_t> values = ValuesOf(proto, field, shape.element_type());
  const size_t parts = layout::IsComplex(shape.element_type()) ? 2 : 1;
  if (!count.has_value() || *count < 0 || values.size() / parts != static_cast<size_t>(*count)) {
    return bad(absl::StrCat("has ", values.size() / parts, " values"));
  }
  Literal literal;
  literal.shape = std::move(shape);
  literal.bits.resize(values.size());
  const std::vector<size_t> order = MemoryOrder(literal.shape, static_cast<size_t>(*count));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.bits[order[i / parts] * parts + i % parts] = values[i];
  }
  return literal;
}

absl::StatusOr<Literal> LiteralFromProto(const pb::LiteralProto& proto) {
  Shape shape = ShapeFromProto(proto.shape());
  if (!shape.is_tuple()) return ArrayFromProto(proto, std::move(shape));
  Literal tuple;
  for (const pb::LiteralProto& element : proto.tuple_literals()) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(element));
    tuple.elements.push_back(std::move(literal));
  }
  tuple.shape = std::move(shape);
  return tuple;
}

// A negative zero prints as -0, which reads as the integer 0: spells it -0.0.
std::string KeepNegativeZeros(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool starts = i > 0 && text[i - 1] == '-' &&
                        (i < 2 || absl::string_view(" ({,").find(text[i - 2]) != std::string::npos);
    const bool ends =
        i + 1 == text.size() || absl::string_view(" ),}").find(text[i + 1]) != std::string::npos;
    if (text[i] == '0' && starts && ends) out += ".0";
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> LiteralTextFromProto(const pb::LiteralProto& proto) {
  TESSERA_ASSIGN_OR_RETURN(const Literal literal, LiteralFromProto(proto));
  return KeepNegativeZeros(PrintLiteral(literal));
}

absl::StatusOr<std::string> TypedLiteralTextFromProto(const pb::LiteralProto& proto) {
  TESSERA_ASSIGN_OR_RETURN(const Literal literal, LiteralFromProto(proto));
  return KeepNegativeZeros(PrintTypedLiteral(literal));
}

absl::Status LiteralToProto(const Literal& literal, pb::LiteralProto* proto) {
  if (literal.elided && literal.shape.NumElements() != 0)
    return absl::UnimplementedError("a literal {...} has no values to write");
  ShapeToProto(literal.shape, proto->mutable_shape());
  for (const Literal& element : literal.elements) {
    TESSERA_RETURN_IF_ERROR(LiteralToProto(element, proto->add_tuple_literals()));
  }
  const Shape& shape = literal.shape;
  if (!shape.is_array()) return absl::OkStatus();
  if (shape.has_layout() && !IsPermutation(shape.layout(), shape.rank())) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal of ", layout::ShapeToString(shape), ": bad layout"));
  }
  const size_t parts = layout::IsComplex(literal.shape.element_type()) ? 2 : 1;
  std::vector<uint64_t> values(static_cast<size_t>(literal.num_elements()) * parts);
  const std::vector<size_t> order = MemoryOrder(literal.shape, values.size() / parts);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = literal.BitsAt(static_cast<int64_t>(order[i / parts] * parts + i % parts));
  }
  StoreValues(values, literal.shape.element_type(), proto);
  return absl::OkStatus();
}

}  // namespace tessera::hlo
