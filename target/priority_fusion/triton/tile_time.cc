#include "tessera/target/priority_fusion/triton/tile_time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/priority_fusion/model/roofline.h"

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

// Of an op of the expression, for one tile of the result: mostly one.
struct OpTiles {
  static constexpr TileId kNone = ~TileId{0};
  TileId first = kNone;
  std::vector<TileId> others;

  void Add(TileId tile) {
    if (first == kNone) {
      first = tile;
    } else if (first != tile && !absl::c_linear_search(others, tile)) {
      others.push_back(tile);
    }
  }
};

// A kernel that the expression reads, and the tiles of it, for one tile of the result.
struct OperandRead {
  uint32_t op = 0;
  double width = 0;  // bytes of an element
  double bytes = 0, rate = 1;
  OpTiles tiles = {};
};

// One operand of an op of the expression.
struct Edge {
  enum How : uint8_t { kScalar, kSame, kByShape };
  How how = kByShape;
  bool is_read = false;  // from memory
  uint32_t to = 0;       // place of a read, or in the expression
};

class Estimate {
 public:
  Estimate(absl::Span<const InstructionId> ids, absl::Span<const OpFacts> facts,
           const Expression& expression, KnownTiles* known)
      : program_(known->program()),
        ids_(ids),
        facts_(facts),
        expression_(expression),
        known_(*known),
        scalar_(known->IdOf(Tile())),
        edges_(expression.size()),
        flops_of_element_(expression.size()),
        tiles_(expression.size()) {
    absl::flat_hash_map<uint32_t, uint32_t> places;  // of reads, by kernel
    for (size_t k = expression_.size(); k-- > 0;) {
      const FusedOp& fused = expression_[k];
      const OpFacts& facts = facts_[fused.op];
      flops_of_element_[k] = facts.flops / std::max(1.0, facts.elements);
      for (size_t q = 0; q < fused.reads.size(); ++q) AddEdge(ids_[fused.op], k, q, &places);
    }
  }

  std::optional<double> WithTile(const Tile& root) {
    Clear();
    const layout::Shape& shape = program_.shape(ids_[expression_.back().op]);
    for (int64_t d = 0; d < shape.rank(); ++d) blocks_ *= (shape.dim(d) + root[d] - 1) / root[d];
    tiles_.back().Add(known_.IdOf(root));
    if (!Fits(Padded(root))) return std::nullopt;
    for (size_t k = expression_.size(); k-- > 0;) {
      const OpTiles& tiles = tiles_[k];
      if (tiles.first == OpTiles::kNone) continue;
      if (!Visit(k, tiles.first)) return std::nullopt;
      for (const TileId tile : tiles.others) {
        if (!Visit(k, tile)) return std::nullopt;
      }
    }
    const OpFacts& result = facts_[expression_.back().op];
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
  void AddEdge(InstructionId id, size_t k, size_t q,
               absl::flat_hash_map<uint32_t, uint32_t>* places) {
    const Read& read = expression_[k].reads[q];
    const bool is_scalar = program_.shape(program_.operand(id, q)).rank() == 0;
    const bool is_same = projection::IsElementwise(program_.opcode(id));
    const Edge::How how = is_scalar ? Edge::kScalar : is_same ? Edge::kSame : Edge::kByShape;
    uint32_t to = read.index;
    if (read.kind == Read::kKernel) {
      const auto next = static_cast<uint32_t>(reads_.size());
      to = places->try_emplace(read.index, next).first->second;
      const OpFacts& facts = facts_[read.index];
      if (to == next) reads_.push_back({read.index, facts.bytes / std::max(1.0, facts.elements)});
    }
    edges_[k].push_back({how, read.kind == Read::kKernel, to});
  }

  void Clear() {
    for (OpTiles& tiles : tiles_) {
      tiles.first = OpTiles::kNone;
      tiles.others.clear();
    }
    for (OperandRead& read : reads_) read = {read.op, read.width};
    flops_ = 0;
    blocks_ = largest_ = 1;
  }

  // Counts what a tile of the k-th op computes, and hands tiles on to what it reads.
  bool Visit(size_t k, TileId tile) {
    const uint32_t op = expression_[k].op;
    const int64_t padded = known_.Padded(tile);
    largest_ = std::max(largest_, padded);
    flops_ += flops_of_element_[k] * static_cast<double>(padded * blocks_);
    if (!Fits(padded) && facts_[op].opcode == Opcode::kIota) return false;
    const auto& edges = edges_[k];
    for (size_t q = 0; q < edges.size(); ++q) {
      const Edge& edge = edges[q];
      const auto of_operand = edge.how == Edge::kScalar ? scalar_
                              : edge.how == Edge::kSame ? tile
                                                        : known_.OfOperand(ids_[op], q, tile);
      if (!of_operand.has_value()) return false;
      if (edge.is_read) {
        if (!ReadTile(*of_operand, &reads_[edge.to])) return false;
      } else {
        tiles_[edge.to].Add(*of_operand);
      }
    }
    return true;
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
  const Expression& expression_;
  KnownTiles& known_;
  const std::optional<TileId> scalar_;
  std::vector<absl::InlinedVector<Edge, 2>> edges_;  // by place in the expression
  std::vector<double> flops_of_element_;             // the same
  std::vector<OpTiles> tiles_;                       // the same
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
