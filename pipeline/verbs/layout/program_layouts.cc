#include "tessera/pipeline/verbs/layout/program_layouts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/layout/layout_changes.h"
#include "tessera/pipeline/verbs/layout/layout_fixes.h"
#include "tessera/target/buffers/device_buffers.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::Shape;
using target::kMainMemory;

constexpr const char* kKinds[] = {"temporary", "constant", "result",
                                  "argument"};  // by target::BufferKind

struct WastesMore {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return Waste(a) < Waste(b);
  }

 private:
  static std::pair<int64_t, int64_t> Waste(const ProgramArray& a) { return {-a.padding, -a.bytes}; }
  static std::pair<int64_t, int64_t> Waste(const answers::ProgramLayoutGroup& g) {
    return {-g.padding(), -g.bytes()};
  }
};

// The arrays by tiles and memory space, and all of them.
void Sum(ProgramLayouts* all) {
  all->bytes = all->padding = 0;
  all->groups.clear();
  std::map<std::pair<std::string, int64_t>, answers::ProgramLayoutGroup> groups;
  for (const ProgramArray& array : all->arrays) {
    answers::ProgramLayoutGroup& group = groups[{TilesOf(array.shape), SpaceOf(array.shape)}];
    group.set_count(group.count() + 1);
    group.set_bytes(group.bytes() + array.bytes);
    group.set_padding(group.padding() + array.padding);
    all->bytes += array.bytes;
    all->padding += array.padding;
  }
  for (auto& [key, group] : groups) {
    group.set_tiles(key.first);
    group.set_space(key.second);
    all->groups.push_back(std::move(group));
  }
  absl::c_stable_sort(all->groups, WastesMore());
}

class Finder {
 public:
  explicit Finder(const hlo::Module& module) : module_(module), locations_(module) {}

  absl::StatusOr<ProgramLayouts> Run() {
    TESSERA_ASSIGN_OR_RETURN(const target::DeviceBuffers found, target::FindDeviceBuffers(module_));
    for (const target::LiveBuffer& buffer : found.buffers) {
      if (buffer.instruction != hlo::kNoId) TESSERA_RETURN_IF_ERROR(AddArray(buffer));
    }
    TESSERA_RETURN_IF_ERROR(Finish(&all_));
    all_.changes = FindLayoutChanges(module_);
    return std::move(all_);
  }

 private:
  absl::Status AddArray(const target::LiveBuffer& buffer) {
    const auto leaves = layout::LeafShapes(module_.shape(buffer.instruction));
    const Shape& shape = *leaves[buffer.leaf];
    TESSERA_ASSIGN_OR_RETURN(ProgramArray array, MakeProgramArray(shape));
    array.name = std::string(module_.instruction(buffer.instruction).name);
    if (leaves.size() > 1) absl::StrAppend(&array.name, "{", buffer.leaf, "}");
    array.kind = kKinds[static_cast<size_t>(buffer.kind)];
    array.bytes = buffer.bytes;
    array.op_name = hlo::GetOpName(module_, buffer.instruction);
    array.location = locations_.UsersOwn(buffer.instruction);
    all_.arrays.push_back(std::move(array));
    return absl::OkStatus();
  }

  const hlo::Module& module_;
  const SourceLocations locations_;
  ProgramLayouts all_;
};

}  // namespace

std::string TilesOf(const Shape& array) {
  if (!array.has_layout() || array.layout().tiles.empty()) return "";
  std::string text = "T";
  for (const layout::Tile& tile : array.layout().tiles) absl::StrAppend(&text, tile.ToString());
  return text;
}

int64_t SpaceOf(const Shape& array) {
  return array.has_layout() ? array.layout().memory_space : kMainMemory;
}

absl::StatusOr<ProgramArray> MakeProgramArray(const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
  ProgramArray array;
  array.shape = shape;
  array.bytes = sizes.alloc_bytes;
  array.padding = sizes.padded_bytes - sizes.data_bytes;
  if (array.padding > 0) array.fix = FixOf(shape);
  return array;
}

absl::Status Finish(ProgramLayouts* layouts) {
  Checked bytes = 0;
  for (const ProgramArray& array : layouts->arrays) bytes += array.bytes;
  if (!bytes.ok()) return absl::OutOfRangeError("the bytes of all arrays exceed 64 bits");
  absl::c_stable_sort(layouts->arrays, WastesMore());
  Sum(layouts);
  return absl::OkStatus();
}

absl::StatusOr<ProgramLayouts> FindProgramLayouts(const hlo::Module& module) {
  return Finder(module).Run();
}

void Keep(const ListFilter& filter, ProgramLayouts* layouts) {
  const auto goes = [&](int64_t bytes, const auto&... words) {
    return bytes < filter.min_bytes() || !filter.Matches({words...});
  };
  auto& arrays = layouts->arrays;
  auto& changes = layouts->changes;
  const auto array_goes = [&](const ProgramArray& a) {
    return goes(a.bytes, a.name, a.op_name, a.location);
  };
  const auto change_goes = [&](const answers::ProgramLayoutChange& c) {
    return goes(c.bytes(), c.name(), c.op_name(), c.location());
  };
  arrays.erase(std::remove_if(arrays.begin(), arrays.end(), array_goes), arrays.end());
  changes.erase(std::remove_if(changes.begin(), changes.end(), change_goes), changes.end());
  Sum(layouts);
}

}  // namespace tessera::pipeline
