#include "tessera/target/kernels/layout_copies.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/target/kernels/chunk_copies.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/kernels/row_updates.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

constexpr double kRowsOfTile = 8;
constexpr int kLongWay = 16;  // views that are looked through

// Of the tiles of so many rows.
double HeightOf(int64_t rows) {
  double height = 1;
  while (height < static_cast<double>(rows) && height < kRowsOfTile) height *= 2;
  return height;
}

class Finder {
 public:
  Finder(const hlo::Module& module, const std::vector<InstructionId>& order, Platform platform)
      : module_(module), order_(order), has_tiles_(platform == Platform::kTpu) {}

  std::vector<LayoutCopy> Find() {
    for (const InstructionId id : order_) {
      if (has_tiles_) AddOfLayouts(id);
    }
    if (has_tiles_) absl::c_copy(FindChunkCopies(module_, order_), std::back_inserter(copies_));
    if (!order_.empty() && module_.instruction(order_[0]).computation == module_.entry_id())
      AddOfResults();
    return std::move(copies_);
  }

 private:
  Opcode opcode(InstructionId id) const { return module_.instruction(id).opcode; }

  void AddOfLayouts(InstructionId id) {
    if (opcode(id) == Opcode::kAllToAll) AddOfMessage(id);
    if (opcode(id) == Opcode::kReshape) AddOfTiles(id);
    if (opcode(id) == Opcode::kReshape) AddOfReceived(id);
    if (opcode(id) == Opcode::kWhile) AddOfCaches(id);
  }

  // `rows`: of a tile of the copy.
  void Add(InstructionId from, InstructionId to, double rows) {
    const Shape& array = module_.shape(to);
    if (!array.is_array() || Elements(array) <= kElementsOfRegister) return;
    copies_.push_back({from, to, Registers(array) * kRowsOfTile / rows, false});
  }

  void AddOfMessage(InstructionId id) {
    const InstructionId sent = module_.operands(id)[0];
    if (SendsFromWithin(id)) Add(sent, sent, kRowsOfTile);
  }

  // Parts of a dimension that is not the most major one.
  bool SendsFromWithin(InstructionId id) const {
    const auto dims = hlo::GetInts(module_, id, hlo::AttributeName::kDimensions);
    const auto operands = module_.operands(id);
    if (!dims.has_value() || dims->empty() || operands.size() != 1) return false;
    const std::vector<int64_t> large = LargeDims(module_.shape(operands[0]));
    return large.size() >= 3 && (*dims)[0] != large[0];
  }

  // What arrives has the senders as its most major dimension. They become a part of another one.
  void AddOfReceived(InstructionId id) {
    const InstructionId transpose = module_.operands(id)[0];
    if (opcode(transpose) != Opcode::kTranspose) return;
    const InstructionId received = module_.operands(transpose)[0];
    if (opcode(received) != Opcode::kAllToAll || !SendsFromWithin(received)) return;
    const auto order = hlo::GetInts(module_, transpose, hlo::AttributeName::kDimensions);
    const Shape& array = module_.shape(transpose);
    const Shape& result = module_.shape(id);
    const int64_t last = array.rank() - 1;
    const bool keeps_lanes = order.has_value() && (*order)[last] == last && result.rank() > 1 &&
                             result.dim(result.rank() - 1) == array.dim(last);
    if (keeps_lanes) Add(transpose, id, kRowsOfTile);
  }

  // A reshape that makes one dimension of the two last ones of a transposed message.
  void AddOfTiles(InstructionId id) {
    const InstructionId transpose = module_.operands(id)[0];
    if (opcode(transpose) != Opcode::kTranspose || !IsOfMessage(module_.operands(transpose)[0]))
      return;
    const auto order = hlo::GetInts(module_, transpose, hlo::AttributeName::kDimensions);
    const Shape& array = module_.shape(transpose);
    const std::vector<int64_t> large = LargeDims(array), result = LargeDims(module_.shape(id));
    if (!order.has_value() || large.size() < 3 || result.empty()) return;
    const int64_t lanes = large[large.size() - 1], rows = large[large.size() - 2];
    const bool joins =
        module_.shape(id).dim(result.back()) % (array.dim(lanes) * array.dim(rows)) == 0;
    const bool keeps_lanes =
        (*order)[lanes] == LargeDims(module_.shape(module_.operands(transpose)[0])).back();
    if (!joins || !keeps_lanes || (*order)[rows] > (*order)[large[large.size() - 3]]) return;
    Add(transpose, id, HeightOf(array.dim(rows)));
  }

  // What a collective made, split or converted.
  bool IsOfMessage(InstructionId id) const {
    for (int steps = 0; steps < kLongWay; ++steps) {
      if (RoleOf(module_, id) == Role::kCollective) return true;
      const Opcode op = opcode(id);
      if (op != Opcode::kReshape && op != Opcode::kConvert && op != Opcode::kCopy) return false;
      id = module_.operands(id)[0];
    }
    return false;
  }

  void AddOfResults() {
    const auto& parameters = module_.entry().parameters;
    const InstructionId root = module_.entry().root;
    const auto aliases = projection::EntryAliases(module_);
    const bool is_plain =
        aliases.ok() && opcode(root) == Opcode::kTuple &&
        absl::c_all_of(parameters, [&](InstructionId p) { return module_.shape(p).is_array(); }) &&
        absl::c_all_of(module_.operands(root),
                       [&](InstructionId r) { return module_.shape(r).is_array(); });
    if (!is_plain) return;
    for (const auto& [result, argument] : *aliases) {
      const InstructionId made = SourceOf(module_.operands(root)[static_cast<size_t>(result)]);
      const InstructionId before = parameters[static_cast<size_t>(argument)];
      if (has_tiles_ && RoleOf(module_, made) == Role::kCollective) {
        Add(before, before, kRowsOfTile);
        Add(made, made, kRowsOfTile);
      }
      const auto start = StartOf(made);
      const bool is_elsewhere = start.has_value() && *start != before;
      const double height = HeightAfter(made);
      if (is_elsewhere || height > 0) Add(made, made, height > 0 ? height : HeightAtBorder(made));
    }
  }

  void AddOfCaches(InstructionId loop) {
    const InstructionId tuple = module_.operands(loop)[0];
    if (opcode(tuple) != Opcode::kTuple) return;
    const auto starts = module_.operands(tuple);
    for (size_t k = 0; k < starts.size(); ++k) {
      const InstructionId start = SourceOf(starts[k]);
      const Heights heights = HeightsOfCache(loop, k);
      if (opcode(start) == Opcode::kParameter && heights.inside > 0)
        Add(start, start, heights.inside);
    }
  }

  // Two heads after positions are rows of a tile.
  double HeightAtBorder(InstructionId result) const {
    const Shape& array = module_.shape(result);
    const std::vector<int64_t> large = LargeDims(array);
    if (!has_tiles_ || large.size() < 2) return kRowsOfTile;
    return HeightOf(array.dim(large[large.size() - 2]));
  }

  // Of an element of a loop's result: rows of its tiles after the loop, if it is a cache.
  double HeightAfter(InstructionId element) const {
    if (!has_tiles_ || opcode(element) != Opcode::kGetTupleElement) return 0;
    const InstructionId loop = module_.operands(element)[0];
    const int64_t index = hlo::GetTupleIndex(module_, element);
    if (opcode(loop) != Opcode::kWhile || index < 0) return 0;
    return HeightsOfCache(loop, static_cast<size_t>(index)).after;
  }

  // Rows of tiles inside and after a loop; 0 for what is no cache that is laid out anew.
  struct Heights {
    double inside = 0, after = 0;
  };

  // Of element `k`.
  Heights HeightsOfCache(InstructionId loop, size_t k) const {
    const InstructionId root = module_.computation(module_.called(loop)[0]).root;
    if (opcode(root) != Opcode::kTuple || k >= module_.operands(root).size()) return {};
    const InstructionId update = SourceOf(module_.operands(root)[k]);
    if (const int64_t rows = RowsLaidAnew(module_, update); rows > 0)
      return {HeightOf(rows), kRowsOfTile};
    const int64_t heads = HeadsOf(module_, update);
    if (heads < 2 || !IsMultipliedBy(module_, update, heads)) return {};
    return {kRowsOfTile, HeightOf(heads)};
  }

  // Of an element of a loop's result: where the element begins.
  std::optional<InstructionId> StartOf(InstructionId element) const {
    for (int steps = 0; steps < kLongWay; ++steps) {
      if (opcode(element) != Opcode::kGetTupleElement)
        return steps == 0 ? std::nullopt : std::optional(element);
      const InstructionId loop = module_.operands(element)[0];
      if (opcode(loop) != Opcode::kWhile) return std::nullopt;
      const InstructionId tuple = module_.operands(loop)[0];
      const int64_t index = hlo::GetTupleIndex(module_, element);
      if (opcode(tuple) != Opcode::kTuple || index < 0 ||
          index >= static_cast<int64_t>(module_.operands(tuple).size()))
        return std::nullopt;
      element = SourceOf(module_.operands(tuple)[static_cast<size_t>(index)]);
    }
    return std::nullopt;
  }

  // The array of a view.
  InstructionId SourceOf(InstructionId id) const {
    for (int steps = 0; steps < kLongWay; ++steps) {
      const Opcode op = opcode(id);
      if (op != Opcode::kReshape && op != Opcode::kBitcast && op != Opcode::kCopy) break;
      id = module_.operands(id)[0];
    }
    return id;
  }

  const hlo::Module& module_;
  const std::vector<InstructionId>& order_;
  const bool has_tiles_;
  std::vector<LayoutCopy> copies_;
};

}  // namespace

std::vector<LayoutCopy> FindLayoutCopies(const hlo::Module& module,
                                         const std::vector<InstructionId>& order,
                                         Platform platform) {
  return Finder(module, order, platform).Find();
}

}  // namespace tessera::target
