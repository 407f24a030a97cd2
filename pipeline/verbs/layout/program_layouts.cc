#include "tessera/pipeline/verbs/layout/program_layouts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/schedule/stated_time.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/target/buffers/device_buffers.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;
using target::kMainMemory;

constexpr const char* kKinds[] = {"temporary", "constant", "result",
                                  "argument"};  // by target::BufferKind

// Without tiles, or in some that the hardware of a TPU allows, of any generation.
bool HasKnownTiles(const Shape& array) {
  if (!array.has_layout() || array.layout().tiles.empty()) return true;
  for (const char* name : {"tpu+large", "tpu+min2+large"}) {
    const auto rules = layout::NamedTileRules(name);
    for (const layout::TileChoice& choice : rules->ChoicesFor(array.element_type(), array.rank())) {
      if (choice.tiles == array.layout().tiles) return true;
    }
  }
  return false;
}

// The same array in another order or in other tiles.
bool IsRelaid(const Shape& a, const Shape& b) {
  if (!a.is_array() || !b.is_array() || !a.has_layout() || !b.has_layout()) return false;
  return a.layout().minor_to_major != b.layout().minor_to_major ||
         a.layout().tiles != b.layout().tiles;
}

struct WastesMore {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return std::make_tuple(-a.padding, -a.bytes) < std::make_tuple(-b.padding, -b.bytes);
  }
};

// The arrays by tiles and memory space, and all of them.
void Sum(ProgramLayouts* all) {
  all->bytes = all->padding = 0;
  all->groups.clear();
  std::map<std::pair<std::string, int64_t>, LayoutGroup> groups;
  for (const ProgramArray& array : all->arrays) {
    std::string tiles = TilesOf(array.shape);
    const int64_t space = SpaceOf(array.shape);
    LayoutGroup& group = groups[{tiles, space}];
    group.tiles = std::move(tiles);
    group.space = space;
    ++group.count;
    group.bytes += array.bytes;
    group.padding += array.padding;
    all->bytes += array.bytes;
    all->padding += array.padding;
  }
  for (auto& [key, group] : groups) all->groups.push_back(std::move(group));
  absl::c_stable_sort(all->groups, WastesMore());
}

// Whether a copy, transpose or bitcast puts the array in another order or in other tiles.
bool ChangesLayout(const hlo::Module& module, InstructionId id) {
  const Shape& from = module.shape(module.operands(id)[0]);
  const Shape& to = module.shape(id);
  if (module.instruction(id).opcode != Opcode::kTranspose) {
    return from.dims() == to.dims() && IsRelaid(from, to);  // a bitcast may be a reshape
  }
  if (!from.is_array() || !from.has_layout() || !to.has_layout()) return false;
  const auto source = hlo::GetInts(module, id, hlo::AttributeName::kDimensions);
  if (!source) return false;
  layout::Layout moved = to.layout();
  for (int64_t& dim : moved.minor_to_major) dim = (*source)[static_cast<size_t>(dim)];
  return moved.minor_to_major != from.layout().minor_to_major || moved.tiles != from.layout().tiles;
}

// These compute nothing with an array.
constexpr Opcode kHandOn[] = {Opcode::kBitcast,  Opcode::kCopy,  Opcode::kCopyStart,
                              Opcode::kCopyDone, Opcode::kTuple, Opcode::kGetTupleElement,
                              Opcode::kReshape};
constexpr size_t kLongestChain = 8;

class Finder {
 public:
  explicit Finder(const hlo::Module& module) : module_(module), locations_(module) {}

  absl::StatusOr<ProgramLayouts> Run() {
    TESSERA_ASSIGN_OR_RETURN(const target::DeviceBuffers found, target::FindDeviceBuffers(module_));
    for (const target::LiveBuffer& buffer : found.buffers) {
      if (buffer.instruction != hlo::kNoId) TESSERA_RETURN_IF_ERROR(AddArray(buffer));
    }
    TESSERA_RETURN_IF_ERROR(Finish(&all_));
    FindChanges();
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

  // Fusions stand for what is in them.
  void FindChanges() {
    std::vector<bool> is_fused(module_.num_computations());
    for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
      if (module_.instruction(id).opcode != Opcode::kFusion) continue;
      for (const hlo::ComputationId c : module_.called(id)) is_fused[c] = true;
    }
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (module_.computation(c).removed || is_fused[c]) continue;
      const size_t before = changes_.size();
      for (const InstructionId id : module_.computation(c).instructions) AddChange(id, id);
      if (changes_.size() > before) AddUsers(c, before);
    }
    absl::c_stable_sort(
        changes_, [](const Found& a, const Found& b) { return a.change.bytes > b.change.bytes; });
    for (Found& found : changes_) all_.changes.push_back(std::move(found.change));
  }

  // `id` as an instruction of the schedule, or in one of it that is a fusion.
  bool AddChange(InstructionId id, InstructionId named) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kFusion && id == named) return AddFusion(id);
    const bool is_one = opcode == Opcode::kCopy || opcode == Opcode::kTranspose ||
                        (opcode == Opcode::kBitcast && id == named);
    if (!is_one || !ChangesLayout(module_, id)) return false;
    const Shape& from = module_.shape(module_.operands(id)[0]);
    const Shape& to = module_.shape(id);
    Found found{named, {}};
    found.change.name = std::string(module_.instruction(named).name);
    found.change.opcode = std::string(hlo::OpcodeName(module_.instruction(named).opcode));
    found.change.from = layout::ShapeToString(from);
    found.change.to = layout::ShapeToString(to);
    if (opcode != Opcode::kBitcast) {
      found.change.bytes = BytesOf(from, to);
      found.change.cycles = cost::StatedCycles(module_, named);
    }
    if (opcode == Opcode::kCopy && id == named && IsArgument(module_.operands(id)[0])) {
      found.change.cure = CureAs(to);
    }
    found.change.op_name = hlo::GetOpName(module_, named);
    found.change.location = locations_.UsersOwn(named);
    changes_.push_back(std::move(found));
    return true;
  }

  // By the first of the copies and transposes in it.
  bool AddFusion(InstructionId fusion) {
    for (const hlo::ComputationId c : module_.called(fusion)) {
      for (const InstructionId id : module_.computation(c).instructions) {
        if (AddChange(id, fusion)) return true;
      }
    }
    return false;
  }

  bool IsArgument(InstructionId id) const {
    const hlo::Instruction& i = module_.instruction(id);
    return i.opcode == Opcode::kParameter && i.computation == module_.entry_id();
  }

  static int64_t BytesOf(const Shape& from, const Shape& to) {
    Checked sum = 0;
    for (const Shape* shape : {&from, &to}) {
      const auto sizes = layout::SizesOf(*shape);
      if (sizes.ok()) sum += sizes->alloc_bytes;
    }
    return sum.value();
  }

  void AddUsers(hlo::ComputationId c, size_t first) {
    const hlo::UserMap users = hlo::FindUsers(module_, c);
    for (size_t k = first; k < changes_.size(); ++k) {
      const auto it = users.find(changes_[k].id);
      if (it == users.end()) continue;
      for (const InstructionId user : it->second) {
        changes_[k].change.users.emplace_back(module_.instruction(user).name);
      }
      AddChain(it->second.front(), users, &changes_[k].change);
    }
  }

  void AddChain(InstructionId user, const hlo::UserMap& users, LayoutChange* change) {
    while (change->chain.size() < kLongestChain) {
      change->chain.emplace_back(module_.instruction(user).name);
      const auto next = users.find(user);
      const bool hands_on = absl::c_linear_search(kHandOn, module_.instruction(user).opcode);
      if (!hands_on || next == users.end()) return;
      user = next->second.front();
    }
  }

  struct Found {
    InstructionId id;
    LayoutChange change;
  };

  const hlo::Module& module_;
  const SourceLocations locations_;
  ProgramLayouts all_;
  std::vector<Found> changes_;
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
  if (array.padding > 0) array.cure = CureOf(shape);
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

std::string NoteOnNoLayouts(const hlo::Module& module, const ProgramLayouts& layouts) {
  const bool has_tiles = absl::c_any_of(
      layouts.arrays, [](const ProgramArray& array) { return !TilesOf(array.shape).empty(); });
  if (module.header().is_scheduled || has_tiles) return "";
  return "note: no compiler has laid out this module: it has no tiles, and every array counts; "
         "--target=tpu-v5e:4x4 predicts the layouts that one takes\n";
}

std::string NotesOnTiles(const ProgramLayouts& layouts) {
  std::string notes;
  absl::flat_hash_set<std::string> told;
  for (const ProgramArray& array : layouts.arrays) {
    if (HasKnownTiles(array.shape)) continue;
    const std::string tiles = TilesOf(array.shape);
    if (!told.insert(tiles).second) continue;
    absl::StrAppend(&notes, "note: ", tiles, ", as of ", array.name, " ",
                    layout::ShapeToString(array.shape),
                    ", are no tiles of a TPU that tessera knows; bytes follow the text\n");
  }
  return notes;
}

void Keep(const ListFilter& filter, ProgramLayouts* layouts) {
  const auto goes = [&](const auto& row) {
    return row.bytes < filter.min_bytes() || !filter.Matches({row.name, row.op_name, row.location});
  };
  auto& arrays = layouts->arrays;
  auto& changes = layouts->changes;
  arrays.erase(std::remove_if(arrays.begin(), arrays.end(), goes), arrays.end());
  changes.erase(std::remove_if(changes.begin(), changes.end(), goes), changes.end());
  Sum(layouts);
}

}  // namespace tessera::pipeline
