#include "tessera/pipeline/verbs/layout/relayout_array.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/process/progress.h"
#include "tessera/pipeline/verbs/layout/shape_texts.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::ElementType;
using layout::Layout;
using layout::Shape;
using layout::relayout::Plan;

constexpr int64_t kTaskBytes = int64_t{16} << 20;  // written between two steps of the progress

struct NpyType {
  char kind;
  int64_t bytes;
  ElementType type;
};

// Types of ml_dtypes ("V", "f1") are moved as unsigned numbers of their size, as is all of kind "u".
constexpr NpyType kNpyTypes[] = {
    {'b', 1, ElementType::kPred},  {'i', 1, ElementType::kS8},  {'i', 2, ElementType::kS16},
    {'i', 4, ElementType::kS32},   {'i', 8, ElementType::kS64}, {'f', 2, ElementType::kF16},
    {'f', 4, ElementType::kF32},   {'f', 8, ElementType::kF64}, {'c', 8, ElementType::kC64},
    {'c', 16, ElementType::kC128}, {'u', 1, ElementType::kU8},  {'u', 2, ElementType::kU16},
    {'u', 4, ElementType::kU32},   {'u', 8, ElementType::kU64},
};

absl::StatusOr<ElementType> TypeOf(const NpyHeader& header) {
  const bool is_foreign = header.kind == 'V' || (header.kind == 'f' && header.item_bytes == 1);
  const char kind = is_foreign ? 'u' : header.kind;
  for (const NpyType& row : kNpyTypes) {
    if (row.kind == kind && row.bytes == header.item_bytes) return row.type;
  }
  return absl::UnimplementedError(absl::StrCat("no element type of XLA is NumPy's \"",
                                               std::string(1, header.kind), header.item_bytes,
                                               "\""));
}

// The array in NumPy's order.
absl::StatusOr<Shape> ShapeOf(const NpyHeader& header) {
  TESSERA_ASSIGN_OR_RETURN(const ElementType type, TypeOf(header));
  Shape shape = Shape::Array(type, header.dims);
  if (header.fortran_order) shape.set_layout(Layout::Ascending(shape.rank()));
  return shape;
}

// A whole shape that names the same array may give its elements another type of their size.
void TakeTypeOf(const Shape& other, int64_t item_bytes, Shape* shape) {
  if (!other.array().is_array()) return;
  const ElementType type = other.array().element_type();
  if (layout::ByteWidth(type) == item_bytes) shape->set_element_type(type);
}

// NumPy's view of `plan`'s destination: the array, or memory as a row.
NpyHeader ResultOf(const NpyHeader& header, const Shape& to, int64_t bytes) {
  NpyHeader result = header;
  const Layout plain = Layout::Descending(to.rank());
  const bool whole_items = bytes == to.NumElements().value_or(0) * header.item_bytes;
  const bool is_row_major = to.layout() == plain;
  if (whole_items && (is_row_major || to.layout() == Layout::Ascending(to.rank()))) {
    result.dims.assign(to.dims().begin(), to.dims().end());
    result.fortran_order = !is_row_major;
    return result;
  }
  result.fortran_order = false;
  result.dims = {bytes / header.item_bytes};
  return result;
}

// 0 where they leave 64 bits; such a shape has no plan.
int64_t BytesOf(const NpyHeader& header) {
  Checked bytes = header.item_bytes;
  for (const int64_t size : header.dims) bytes *= size;
  return bytes.value();
}

absl::Status CheckBytes(int64_t bytes, int64_t taken, absl::string_view of) {
  if (bytes == taken) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the array has ", bytes, " bytes, and ", of, " takes ", taken));
}

// The copy leaves the upper half of a byte 0.
void ExtendSigns(absl::Span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((byte ^ 8) - 8);
}

}  // namespace

absl::StatusOr<ArrayCopy> PlanArrayCopy(const NpyHeader& header, const std::string& from,
                                        const std::string& to) {
  TESSERA_ASSIGN_OR_RETURN(Shape source, ShapeOf(header));
  if (!from.empty()) {
    TESSERA_ASSIGN_OR_RETURN(source, ReadLayoutOf(source, from));
  }
  TESSERA_ASSIGN_OR_RETURN(const Shape target, ReadLayoutOf(source, to));
  TakeTypeOf(target, header.item_bytes, &source);
  layout::relayout::Options options;
  options.fill = layout::relayout::Fill::kZero;
  options.repack = true;
  options.threads =
      static_cast<int>(std::max<int64_t>(cost::NumCores(), BytesOf(header) / kTaskBytes));
  TESSERA_ASSIGN_OR_RETURN(Plan plan, Plan::Create(source, target, options));
  TESSERA_RETURN_IF_ERROR(
      CheckBytes(BytesOf(header), plan.src_bytes(), layout::ShapeToString(source)));
  NpyHeader result = ResultOf(header, target, plan.dst_bytes());
  const bool extends_signs = header.kind == 'i' && source.element_type() == ElementType::kS4 &&
                             source.layout().element_bits == 4 && target.layout().element_bits == 0;
  return ArrayCopy{std::move(plan), std::move(result), extends_signs};
}

absl::Status RunArrayCopy(const ArrayCopy& copy, absl::Span<const uint8_t> source,
                          absl::Span<uint8_t> destination) {
  TESSERA_RETURN_IF_ERROR(
      copy.plan.Run(source, destination, [](int count, const std::function<void(int)>& task) {
        Progress progress("parts of the array", static_cast<size_t>(count));
        cost::ForEachIndex(static_cast<size_t>(count), cost::NumCores(), [&](size_t k) {
          task(static_cast<int>(k));
          progress.Advance();
        });
      }));
  if (copy.extends_signs) ExtendSigns(destination);
  return absl::OkStatus();
}

absl::StatusOr<std::string> RelayoutNpyFile(absl::string_view file, const std::string& from,
                                            const std::string& to) {
  TESSERA_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(file));
  const absl::string_view data = file.substr(header.size);
  TESSERA_ASSIGN_OR_RETURN(const ArrayCopy copy, PlanArrayCopy(header, from, to));
  TESSERA_RETURN_IF_ERROR(
      CheckBytes(static_cast<int64_t>(data.size()), BytesOf(header), "its header"));
  std::string result = NpyHeaderText(copy.result);
  const size_t begin = result.size();
  result.resize(begin + static_cast<size_t>(copy.plan.dst_bytes()));
  const auto bytes = [](const char* p) { return reinterpret_cast<const uint8_t*>(p); };
  auto* destination = reinterpret_cast<uint8_t*>(result.data()) + begin;
  TESSERA_RETURN_IF_ERROR(
      RunArrayCopy(copy, {bytes(data.data()), data.size()}, {destination, result.size() - begin}));
  return result;
}

}  // namespace tessera::pipeline
