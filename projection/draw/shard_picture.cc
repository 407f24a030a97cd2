#include "tessera/projection/draw/shard_picture.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/grid.h"
#include "tessera/projection/draw/picture.h"
#include "tessera/projection/draw/svg.h"

namespace tessera::projection {
namespace {

// The fragments that a drawn cell has a part of.
std::vector<const Fragment*> FragmentsAt(absl::Span<const Fragment> fragments, const ZRange& at) {
  std::vector<const Fragment*> here;
  for (const Fragment& f : fragments) {
    const Cover cover = CoverOf(f.cells, at);
    if (cover == Cover::kAll || cover == Cover::kPart) here.push_back(&f);
  }
  return here;
}

char MarkOf(const std::vector<const Fragment*>& here) {
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  if (here.empty()) return '.';
  if (here.size() > 1 || here[0]->readers.size() > 1) return '*';
  const int reader = here[0]->readers[0];
  return reader < 36 ? kDigits[reader] : '#';
}

std::string FragmentText(const Fragment& f, int64_t element_bytes) {
  const int64_t cells = f.cells.size().value_or(0);
  return absl::StrCat("read by ", absl::StrJoin(f.readers, ", "), ": ", cells, " cells, ",
                      cells * element_bytes, " bytes");
}

}  // namespace

std::string DrawShards(absl::string_view name, const ZPoint& shape,
                       absl::Span<const Fragment> fragments, int64_t element_bytes) {
  std::string out = absl::StrCat(name, " ", ShapeText(shape), "\n");
  out += DrawMarks(shape, [&](const ZRange& at) { return MarkOf(FragmentsAt(fragments, at)); });
  for (const Fragment& f : fragments)
    absl::StrAppend(&out, "  ", FragmentText(f, element_bytes), "\n");
  return out;
}

std::string DrawSplit(const SplitReduction& split) {
  const auto shapes = [](const Signature& s) {
    std::vector<std::string> texts;
    for (const OperandAccess& operand : s.operands) texts.push_back(ShapeText(operand.shape));
    return absl::StrJoin(texts, " ");
  };
  const std::string partial = ShapeText(split.map.result_shapes[0]);
  return absl::StrCat("map      ", shapes(split.map), "  ", split.part, " indices a part\n",
                      "  :\npartial  ", partial, "  one cell a part in the last dimension\n  :\n",
                      "combine  ", partial, " -> ", ShapeText(split.combine.result_shapes[0]),
                      "  init once\n");
}

}  // namespace tessera::projection
