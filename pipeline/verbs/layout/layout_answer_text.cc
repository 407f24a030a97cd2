#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/advise.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/slot_place.h"
#include "tessera/layout/validate.h"
#include "tessera/pipeline/verbs/layout/layout_answer.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;
using layout::FormatRatio;
using layout::MemorySizes;
using layout::Shape;

constexpr size_t kMaxEquals = 8;  // layouts listed that are as good as the best

std::string Exact(int64_t bytes) {
  const std::string rounded = FormatBytes(bytes);
  const std::string exact = absl::StrCat(bytes, " B");
  return rounded == exact ? exact : absl::StrCat(rounded, " (", exact, ")");
}

std::string List(absl::Span<const int64_t> numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

void AppendLine(absl::string_view name, absl::string_view value, std::string* out) {
  absl::StrAppendFormat(out, "  %-12s%s\n", name, value);
}

void AppendBytes(const MemorySizes& sizes, std::string* out) {
  AppendLine("data", Exact(sizes.data_bytes), out);
  AppendLine(
      "padded",
      absl::StrFormat("%s, %s, waste %.1f %%", Exact(sizes.padded_bytes),
                      FormatRatio(sizes.padded_bytes, sizes.data_bytes), 100 * sizes.waste()),
      out);
  if (sizes.alloc_bytes != sizes.padded_bytes) {
    AppendLine("allocated", Exact(sizes.alloc_bytes), out);
  }
  if (sizes.xla_array_size != sizes.padded_bytes) {
    AppendLine("XLA counts", sizes.xla_array_size ? Exact(*sizes.xla_array_size) : "no size", out);
  }
}

// One line for each tile: what it sees, what it rounds up to, what it makes, what that costs.
absl::Status AppendLevels(const Shape& array, const MemorySizes& sizes, std::string* out) {
  if (sizes.elements == 0) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const layout::Tiling tiling, layout::TilingOf(array));
  for (size_t i = 0; i < tiling.levels.size(); ++i) {
    const layout::TileLevel& level = tiling.levels[i];
    AppendLine(absl::StrCat("T", array.layout().tiles[i].ToString()),
               absl::StrCat(List(level.Combined()), " pad ", List(level.Padded()), " -> ",
                            List(level.output), ", adds ", sizes.level_padding[i], " elements"),
               out);
  }
  if (sizes.tail_padding > 0) {
    AppendLine("tail", absl::StrCat("adds ", sizes.tail_padding, " elements"), out);
  }
  return absl::OkStatus();
}

absl::Status AppendSizes(const Shape& shape, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes sizes, layout::SizesOf(shape));
  absl::StrAppend(out, layout::ShapeToString(shape), "\n");
  const Shape& array = shape.array();
  if (array.is_array()) {
    AppendLine("elements",
               absl::StrCat(sizes.elements, " of ", sizes.bits_per_element, " bits, ",
                            sizes.total_elements, " slots"),
               out);
  }
  AppendBytes(sizes, out);
  return array.is_array() ? AppendLevels(array, sizes, out) : absl::OkStatus();
}

// A tuple as a whole, then each of its arrays.
absl::Status AppendAllSizes(const Shape& shape, std::string* out) {
  TESSERA_RETURN_IF_ERROR(AppendSizes(shape, out));
  if (!shape.is_tuple()) return absl::OkStatus();
  absl::Status status;
  layout::ForEachLeaf(shape, [&](const Shape& leaf) {
    if (status.ok()) status = AppendSizes(leaf, out);
  });
  return status;
}

std::string IndexText(absl::Span<const int64_t> index) {
  return absl::StrCat("(", absl::StrJoin(index, ","), ")");
}

// ", byte 4 bit 2"; nothing if elements have no places in bytes.
std::string PlaceText(const Shape& shape, int64_t offset) {
  const absl::StatusOr<layout::SlotPlace> place = layout::PlaceOfSlot(shape, offset);
  if (!place.ok()) return "";
  return absl::StrCat(", byte ", place->byte,
                      place->bits < 8 ? absl::StrCat(" bit ", place->shift) : "");
}

absl::Status AppendQuery(const LayoutRequest& request, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const auto map, layout::IndexMap::Create(request.shape));
  if (request.index) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t offset, map.Offset(*request.index));
    absl::StrAppend(out, "index ", IndexText(*request.index), " is at offset ", offset,
                    PlaceText(request.shape, offset), "\n");
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const auto index, map.IndexAt(*request.offset));
  absl::StrAppend(out, "offset ", *request.offset, " holds ",
                  index ? absl::StrCat("index ", IndexText(*index)) : "padding", "\n");
  return absl::OkStatus();
}

void AppendOps(absl::string_view title, const std::vector<layout::ArrayOp>& ops, std::string* out) {
  absl::StrAppend(out, title, "\n");
  for (const layout::ArrayOp& op : ops) {
    const std::string argument =
        op.argument.empty()
            ? ""
            : absl::StrCat(" ", layout::ArrayOpArgumentName(op.kind), "=", List(op.argument));
    AppendLine(layout::ArrayOpName(op.kind), absl::StrCat("-> ", List(op.dims), argument), out);
  }
}

absl::Status AppendDecomposition(const Shape& shape, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const auto ops, layout::Decompose(shape));
  AppendOps("to memory:", ops, out);
  AppendOps("back:", layout::Invert(ops, shape.array().dims()), out);
  return absl::OkStatus();
}

void AppendEquals(const layout::Advice& advice, std::string* out) {
  if (advice.equals.size() < 2) return;
  const size_t shown = std::min(advice.equals.size() - 1, kMaxEquals);
  for (size_t i = 1; i <= shown; ++i) {
    AppendLine(i == 1 ? "as good" : "", layout::ShapeToString(advice.equals[i]), out);
  }
  const size_t more = advice.equals.size() - 1 - shown;
  if (more > 0) AppendLine("", absl::StrCat("and ", more, " more"), out);
}

absl::Status AppendAdvice(const LayoutRequest& request, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const auto advice, layout::Advise(request.shape, *request.rules));
  const auto line = [&](absl::string_view name, const Shape& shape, int64_t bytes) {
    AppendLine(name,
               absl::StrCat(layout::ShapeToString(shape), "  ", FormatBytes(bytes), ", ",
                            FormatRatio(bytes, advice.data_bytes), " the data"),
               out);
  };
  absl::StrAppend(out, "advice under the rules \"", request.rules->name, "\":\n");
  line("given", request.shape.array(), advice.current_bytes);
  line("best", advice.best, advice.best_bytes);
  AppendEquals(advice, out);
  line("same order", advice.same_order_best, advice.same_order_bytes);
  for (const std::string& remark : advice.remarks) absl::StrAppend(out, "  - ", remark, "\n");
  return absl::OkStatus();
}

absl::Status AppendRelayout(const LayoutRequest& request, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const auto plan,
                           layout::relayout::Plan::Create(request.shape, *request.to));
  out->append(plan.Explain());
  return absl::OkStatus();
}

absl::Status AppendPictures(const LayoutRequest& request, std::string* out) {
  if (request.draw) {
    TESSERA_ASSIGN_OR_RETURN(const std::string picture, layout::Draw(request.shape));
    out->append(picture);
  }
  if (request.memory) {
    TESSERA_ASSIGN_OR_RETURN(const std::string memory, layout::DrawMemory(request.shape));
    absl::StrAppend(out, memory, "\n");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LayoutAnswerText(const LayoutRequest& request) {
  std::string out;
  if (request.whole) {
    absl::StrAppend(&out, "of ", layout::ShapeToString(*request.whole), " under ", request.sharding,
                    " each device holds\n");
  }
  if (request.only_sizes()) TESSERA_RETURN_IF_ERROR(AppendAllSizes(request.shape, &out));
  if (request.index || request.offset) TESSERA_RETURN_IF_ERROR(AppendQuery(request, &out));
  if (request.ops) TESSERA_RETURN_IF_ERROR(AppendDecomposition(request.shape, &out));
  if (request.hlo) {
    TESSERA_ASSIGN_OR_RETURN(const std::string module, layout::DecomposeToHlo(request.shape));
    out.append(module);
  }
  if (request.rules) TESSERA_RETURN_IF_ERROR(AppendAdvice(request, &out));
  if (request.to) TESSERA_RETURN_IF_ERROR(AppendRelayout(request, &out));
  TESSERA_RETURN_IF_ERROR(AppendPictures(request, &out));
  return out;
}

}  // namespace tessera::pipeline
