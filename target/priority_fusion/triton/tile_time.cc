#include "tessera/target/priority_fusion/triton/tile_time.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/priority_fusion/triton/op_groups.h"

namespace tessera::target {
namespace {

constexpr Opcode kWithCode[] = {Opcode::kBitcast, Opcode::kReshape,   Opcode::kBroadcast,
                                Opcode::kReduce,  Opcode::kTranspose, Opcode::kConstant,
                                Opcode::kIota,    Opcode::kParameter};
constexpr int64_t kRegisters = 65536;

bool Fits(int64_t padded) { return padded <= kRegisters * 4 / 10; }

double ThreadsOf(int64_t largest_tile) {
  return double{kWarp} * (largest_tile <= 256    ? 1
                          : largest_tile <= 1024 ? 2
                          : largest_tile <= 4096 ? 4
                                                 : 8);
}

// The part of each read that is of use: elements of a tile that lie side by side.
double RateOf(const layout::Shape& shape, const Tile& tile, double width) {
  double run = width;
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    run *= static_cast<double>(std::min(tile[d], shape.dim(d)));
    if (tile[d] < shape.dim(d)) break;
  }
  return std::min(1.0, run / kBytesOfRead);
}

class Estimate {
 public:
  Estimate(absl::Span<const InstructionId> ids, absl::Span<const OpFacts> facts,
           const Expression& expression, KnownTiles* known)
      : program_(known->program()),
        ids_(ids),
        facts_(facts),
        result_(expression.back().op),
        known_(*known),
        scalar_(known->IdOf(Tile())) {
    OpGroups found = GroupsOf(program_, ids, facts, expression);
    groups_ = std::move(found.groups);
    reads_ = std::move(found.reads);
  }

  std::optional<double> WithTile(const Tile& root) {
    Clear();
    const layout::Shape& shape = program_.shape(ids_[result_]);
    for (int64_t d = 0; d < shape.rank(); ++d) blocks_ *= (shape.dim(d) + root[d] - 1) / root[d];
    groups_[0].tiles.Add(known_.IdOf(root));
    if (!Fits(Padded(root))) return std::nullopt;
    for (const OpGroup& group : groups_) {
      if (!Visit(group, group.tiles.first)) return std::nullopt;
      for (const TileId tile : group.tiles.others) {
        if (!Visit(group, tile)) return std::nullopt;
      }
    }
    const OpFacts& result = facts_[result_];
    const double written = result.bytes;
    double memory = WriteTicks(written, RateOf(shape, root, written / result.elements));
    for (const OperandRead& read : reads_) {
      memory +=
          ReadTicks(static_cast<double>(blocks_), read.bytes, facts_[read.op].bytes, read.rate);
    }
    const Launch launch = {static_cast<double>(blocks_), ThreadsOf(largest_)};
    return Together(ComputeTicks(flops_, launch), memory);
  }

 private:
  void Clear() {
    for (OpGroup& group : groups_) {
      group.tiles.first = OpTiles::kNone;
      group.tiles.others.clear();
    }
    for (OperandRead& read : reads_) read = {read.op, read.width};
    flops_ = 0;
    blocks_ = largest_ = 1;
  }

  // Counts what a tile of each of its ops computes, and hands tiles on to what they read. Flops of an element are
  // whole numbers, so that the order of their sums does not matter.
  bool Visit(const OpGroup& group, TileId tile) {
    const int64_t padded = known_.Padded(tile);
    largest_ = std::max(largest_, padded);
    flops_ += group.flops * static_cast<double>(padded * blocks_);
    if (group.has_iota && !Fits(padded)) return false;
    return absl::c_all_of(group.edges, [&](const Edge& edge) {
      const auto of_operand = edge.how == Edge::kScalar ? scalar_
                              : edge.how == Edge::kSame
                                  ? tile
                                  : known_.OfOperand(edge.op, edge.operand, tile);
      if (!of_operand.has_value()) return false;
      if (edge.is_read) return ReadTile(*of_operand, &reads_[edge.to]);
      groups_[edge.to].tiles.Add(*of_operand);
      return true;
    });
  }

  bool ReadTile(TileId tile, OperandRead* read) {
    if (!Fits(known_.Padded(tile))) return false;
    const bool is_known =
        read->tiles.first == tile || absl::c_linear_search(read->tiles.others, tile);
    if (!is_known) AddRead(tile, read);
    return true;
  }

  void AddRead(TileId id, OperandRead* read) {
    const Tile& tile = known_[id];
    read->tiles.Add(id);
    largest_ = std::max(largest_, known_.Padded(id));
    const layout::Shape& shape = program_.shape(ids_[read->op]);
    double bytes = read->width * static_cast<double>(blocks_);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      bytes *= static_cast<double>(std::min(tile[d], shape.dim(d)));
    }
    read->bytes += bytes;
    read->rate = std::min(read->rate, RateOf(shape, tile, read->width));
  }

  const DeviceProgram& program_;
  absl::Span<const InstructionId> ids_;
  absl::Span<const OpFacts> facts_;
  const uint32_t result_;  // the op
  KnownTiles& known_;
  const std::optional<TileId> scalar_;
  std::vector<OpGroup> groups_;
  std::vector<OperandRead> reads_;  // in the order in which the expression reads them, result first
  double flops_ = 0;
  int64_t blocks_ = 1, largest_ = 1;
};

}  // namespace

bool HasTritonCode(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& shape = program.shape(id);
  if (!shape.is_array() || layout::IsComplex(shape.element_type())) return false;
  const Opcode opcode = program.opcode(id);
  return projection::IsElementwise(opcode) || absl::c_linear_search(kWithCode, opcode);
}

std::optional<double> TritonTicks(absl::Span<const InstructionId> ids,
                                  absl::Span<const OpFacts> facts, const Expression& expression,
                                  KnownTiles* tiles) {
  if (facts[expression.back().op].elements == 0) return std::nullopt;
  Estimate estimate(ids, facts, expression, tiles);
  const layout::Shape& shape = tiles->program().shape(ids[expression.back().op]);
  std::optional<double> best;
  const auto take = [&](const Tile& tile) {
    const auto ticks = estimate.WithTile(tile);
    if (ticks.has_value() && (!best.has_value() || *ticks < *best)) best = ticks;
  };
  Tile tile(shape.rank(), 1);
  take(tile);
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    while (tile[d] < shape.dim(d)) {
      tile[d] = std::min(2 * tile[d], shape.dim(d));
      if (!Fits(Padded(tile))) return best;
      take(tile);
    }
  }
  return best;
}

}  // namespace tessera::target
