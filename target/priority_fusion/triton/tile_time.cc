#include "tessera/target/priority_fusion/triton/tile_time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/numeric/bits.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/priority_fusion/roofline.h"
#include "tessera/target/priority_fusion/triton/tiles_of_operands.h"

namespace tessera::target {
namespace {

constexpr Opcode kWithCode[] = {Opcode::kBitcast, Opcode::kReshape,   Opcode::kBroadcast,
                                Opcode::kReduce,  Opcode::kTranspose, Opcode::kConstant,
                                Opcode::kIota,    Opcode::kParameter};
constexpr int64_t kRegisters = 65536;

int64_t Padded(const Tile& tile) {
  int64_t elements = 1;
  for (const int64_t size : tile) {
    elements *= static_cast<int64_t>(absl::bit_ceil(static_cast<uint64_t>(size)));
  }
  return elements;
}

bool Fits(const Tile& tile) { return Padded(tile) <= kRegisters * 4 / 10; }

double ThreadsOf(int64_t largest_tile) {
  constexpr double kWarp = 32;
  return kWarp * (largest_tile <= 256    ? 1
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

using TileId = uint32_t;  // of a tile that was met, for one tile of the result

struct OperandRead {
  uint32_t op = 0;
  double bytes = 0, rate = 1;
  absl::InlinedVector<TileId, 2> tiles = {};
};

class Estimate {
 public:
  Estimate(const DeviceProgram& program, absl::Span<const InstructionId> ids,
           absl::Span<const OpFacts> facts, const Expression& expression)
      : program_(program),
        ids_(ids),
        facts_(facts),
        expression_(expression),
        tiles_(expression.size()) {}

  std::optional<double> WithTile(const Tile& root) {
    for (auto& tiles : tiles_) tiles.clear();
    known_.clear();
    padded_.clear();
    reads_.clear();
    flops_ = 0;
    largest_ = 1;
    const layout::Shape& shape = program_.shape(ids_[expression_.back().op]);
    blocks_ = 1;
    for (int64_t d = 0; d < shape.rank(); ++d) blocks_ *= (shape.dim(d) + root[d] - 1) / root[d];
    tiles_.back().push_back(IdOf(root));
    if (!Fits(root)) return std::nullopt;
    for (size_t k = expression_.size(); k-- > 0;) {
      for (const TileId tile : tiles_[k]) {
        if (!Visit(expression_[k], tile)) return std::nullopt;
      }
    }
    const OpFacts& result = facts_[expression_.back().op];
    const double written = result.bytes;
    double memory = WriteSeconds(written, RateOf(shape, root, written / result.elements));
    for (const OperandRead& read : reads_) {
      memory +=
          ReadSeconds(static_cast<double>(blocks_), read.bytes, facts_[read.op].bytes, read.rate);
    }
    const Launch launch = {static_cast<double>(blocks_), ThreadsOf(largest_)};
    return Together(ComputeSeconds(flops_, launch), memory);
  }

 private:
  TileId IdOf(const Tile& tile) {
    const auto known = absl::c_find(known_, tile);
    const auto id = static_cast<TileId>(known - known_.begin());
    if (known != known_.end()) return id;
    known_.push_back(tile);
    padded_.push_back(Padded(tile));
    return id;
  }

  // Counts what a tile of it computes, and hands tiles on to what it reads.
  bool Visit(const FusedOp& fused, TileId tile) {
    const OpFacts& facts = facts_[fused.op];
    largest_ = std::max(largest_, padded_[tile]);
    flops_ +=
        facts.flops / std::max(1.0, facts.elements) * static_cast<double>(padded_[tile] * blocks_);
    if (facts.opcode == Opcode::kIota && !Fits(known_[tile])) return false;
    for (size_t k = 0; k < fused.reads.size(); ++k) {
      const auto of_operand = OfOperand(ids_[fused.op], k, tile);
      if (!of_operand.has_value()) return false;
      const Read& read = fused.reads[k];
      if (read.kind == Read::kKernel) {
        if (!ReadTile(read.index, *of_operand)) return false;
      } else if (!absl::c_linear_search(tiles_[read.index], *of_operand)) {
        tiles_[read.index].push_back(*of_operand);
      }
    }
    return true;
  }

  std::optional<TileId> OfOperand(InstructionId id, size_t k, TileId tile) {
    const bool is_scalar = program_.shape(program_.operand(id, k)).rank() == 0;
    if (is_scalar) return IdOf(Tile());
    if (projection::IsElementwise(program_.opcode(id))) return tile;
    const auto of_operand = TileOfOperand(program_, id, k, known_[tile]);
    if (!of_operand.has_value()) return std::nullopt;
    return IdOf(*of_operand);
  }

  bool ReadTile(uint32_t op, TileId tile) {
    if (!Fits(known_[tile])) return false;
    OperandRead& read = ReadOf(op);
    if (!absl::c_linear_search(read.tiles, tile)) AddRead(tile, &read);
    return true;
  }

  OperandRead& ReadOf(uint32_t op) {
    const auto known =
        absl::c_find_if(reads_, [&](const OperandRead& read) { return read.op == op; });
    return known != reads_.end() ? *known : reads_.emplace_back(OperandRead{op});
  }

  void AddRead(TileId id, OperandRead* read) {
    const uint32_t op = read->op;
    const Tile& tile = known_[id];
    read->tiles.push_back(id);
    largest_ = std::max(largest_, padded_[id]);
    const layout::Shape& shape = program_.shape(ids_[op]);
    const double width = facts_[op].bytes / std::max(1.0, facts_[op].elements);
    double bytes = width * static_cast<double>(blocks_);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      bytes *= static_cast<double>(std::min(tile[d], shape.dim(d)));
    }
    read->bytes += bytes;
    read->rate = std::min(read->rate, RateOf(shape, tile, width));
  }

  const DeviceProgram& program_;
  absl::Span<const InstructionId> ids_;
  absl::Span<const OpFacts> facts_;
  const Expression& expression_;
  std::vector<Tile> known_;  // by TileId
  std::vector<int64_t> padded_;
  std::vector<absl::InlinedVector<TileId, 2>> tiles_;  // by place in the expression
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

std::optional<double> TritonSeconds(const DeviceProgram& program,
                                    absl::Span<const InstructionId> ids,
                                    absl::Span<const OpFacts> facts, const Expression& expression) {
  if (facts[expression.back().op].elements == 0) return std::nullopt;
  Estimate estimate(program, ids, facts, expression);
  const layout::Shape& shape = program.shape(ids[expression.back().op]);
  std::optional<double> best;
  const auto take = [&](const Tile& tile) {
    const auto seconds = estimate.WithTile(tile);
    if (seconds.has_value() && (!best.has_value() || *seconds < *best)) best = seconds;
  };
  Tile tile(shape.rank(), 1);
  take(tile);
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    while (tile[d] < shape.dim(d)) {
      tile[d] = std::min(2 * tile[d], shape.dim(d));
      if (!Fits(tile)) return best;
      take(tile);
    }
  }
  return best;
}

}  // namespace tessera::target
