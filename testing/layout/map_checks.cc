#include "tessera/testing/layout/map_checks.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/regular_form.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/layout/index_facts.h"
#include "tessera/testing/layout/slow_map.h"

namespace tessera::layout {
namespace {

using Memory = std::vector<int64_t>;

std::string At(const char* what, int64_t slot) { return absl::StrCat(what, " at slot ", slot); }

std::string CheckSlots(const IndexMap& map, const Memory& memory) {
  if (map.total() != static_cast<int64_t>(memory.size())) return "total";
  for (int64_t slot = 0; slot < map.total(); ++slot) {
    const auto index = map.IndexOf(slot);
    const int64_t number = index.has_value() ? Linearize(*index, map.dims()) : -1;
    if (number != memory[slot]) return At("IndexOf", slot);
    if (index.has_value() && map.OffsetOf(*index) != slot) return At("OffsetOf", slot);
  }
  return "";
}

std::string CheckClosedForm(const Shape& array, const IndexMap& map, const Memory& memory) {
  const auto form = RegularFormOf(array, map.tiling());
  if (!form.has_value()) return "";
  Sizes64 index(map.dims().size());
  for (size_t slot = 0; slot < memory.size(); ++slot) {
    if (memory[slot] < 0) continue;
    Delinearize(memory[slot], map.dims(), absl::MakeSpan(index));
    if (OffsetOf(*form, index) != static_cast<int64_t>(slot)) return At("closed form", slot);
  }
  return "";
}

SlowArray RunOp(const SlowArray& array, const ArrayOp& op) {
  const std::vector<int64_t> dims(op.dims.begin(), op.dims.end());
  const std::vector<int64_t> argument(op.argument.begin(), op.argument.end());
  switch (op.kind) {
    case ArrayOpKind::kTranspose:
      return SlowTranspose(array, argument);
    case ArrayOpKind::kReshape:
      return SlowReshape(array, dims);
    case ArrayOpKind::kPad:
    case ArrayOpKind::kSlice:
      return SlowResize(array, dims, -1);
  }
  return array;
}

SlowArray RunOps(SlowArray array, const std::vector<ArrayOp>& ops) {
  for (const ArrayOp& op : ops) array = RunOp(array, op);
  return array;
}

std::string CheckOps(const Shape& array, const Memory& memory) {
  const absl::StatusOr<std::vector<ArrayOp>> ops = Decompose(array);
  if (!ops.ok()) return absl::StrCat("Decompose: ", ops.status().ToString());
  const SlowArray input = SlowIota({array.dims().begin(), array.dims().end()});
  const SlowArray output = RunOps(input, *ops);
  if (output.values != memory) return "Decompose gives another memory";
  const SlowArray back = RunOps(output, Invert(*ops, array.dims()));
  if (back.values != input.values || back.dims != input.dims) return "Invert does not restore";
  return "";
}

std::string CheckNumbers(const Shape& array, const Memory& memory) {
  const absl::StatusOr<MemorySizes> sizes = SizesOf(array);
  if (!sizes.ok()) return absl::StrCat("SizesOf: ", sizes.status().ToString());
  const int64_t padding = std::count(memory.begin(), memory.end(), -1);
  if (sizes->total_elements != static_cast<int64_t>(memory.size())) return "total_elements";
  if (sizes->total_elements - sizes->elements != padding) return "number of padding slots";
  int64_t span = static_cast<int64_t>(memory.size());
  while (span > 0 && memory[span - 1] < 0) --span;
  if (*DataSpan(array) != span) return "DataSpan";
  const bool linear = padding == 0 && std::is_sorted(memory.begin(), memory.end());
  const bool row_major = array.layout() == Layout::Descending(array.rank());
  Shape untiled = array;
  untiled.set_layout(Layout::Descending(array.rank()));
  if (*SameIndexMap(array, untiled) != linear) return "SameIndexMap with row-major";
  if (row_major && !*IsLinear(array)) return "IsLinear";
  return "";
}

}  // namespace

std::string CheckAgainstSlowMap(const Shape& array) {
  const Memory memory = SlowMemory(array);
  const absl::StatusOr<IndexMap> map = IndexMap::Create(array);
  if (!map.ok()) return absl::StrCat(ShapeToString(array), ": ", map.status().ToString());
  for (const std::string& difference :
       {CheckSlots(*map, memory), CheckClosedForm(array, *map, memory), CheckOps(array, memory),
        CheckNumbers(array, memory)}) {
    if (!difference.empty()) return absl::StrCat(ShapeToString(array), ": ", difference);
  }
  return "";
}

}  // namespace tessera::layout
