#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/products/product_fusion.h"

namespace tessera::target {
namespace {

constexpr int64_t kTile = 16;
constexpr size_t kMostOperands = 8;

// What is contracted or free is cut into tiles, which hold whole merged dimensions or divide them.
bool Divides(const std::vector<size_t>& merged, const DimSizes& sizes) {
  int64_t minor = 1;
  for (auto it = merged.rbegin(); std::next(it) != merged.rend(); ++it) {
    minor *= sizes[*it];
    if (minor % kTile != 0 && kTile % minor != 0) return false;
  }
  return true;
}

// What lies side by side is no major part of a free dimension.
bool EndsWhole(const DimParts& parts) {
  return parts.empty() || parts.back().role != ProductRole::kFree || parts.back().minor == 1;
}

// The most minor dimension that is free in the product.
std::optional<int64_t> FreeDimension(const ProductRead& read) {
  const auto by_dim = PartsByDim(read.parts, read.sizes);
  if (!by_dim.has_value()) return std::nullopt;
  const auto is_free = [](const DimPart& part) { return part.role == ProductRole::kFree; };
  for (size_t k = by_dim->size(); k-- > 0;) {
    if (absl::c_any_of((*by_dim)[k], is_free)) return static_cast<int64_t>(k);
  }
  return std::nullopt;
}

// A transpose that moves dimensions of the batch, and nothing else; the parts are those of its result.
bool MovesBatch(const hlo::IntList& permutation, const DimParts& parts, const DimSizes& sizes) {
  const auto by_dim = PartsByDim(parts, sizes);
  if (!by_dim.has_value()) return false;
  for (size_t k = 0; k < permutation.size(); ++k) {
    const auto is_batch = [](const DimPart& part) { return part.role == ProductRole::kBatch; };
    if (permutation[k] != static_cast<int64_t>(k) && !absl::c_all_of((*by_dim)[k], is_batch)) {
      return false;
    }
  }
  return true;
}

// A matrix whose rows are columns of the source, which may have several dimensions for one of them. Where it could be
// the source read row by row, it is that.
bool ExchangesDimensions(const DimSizes& sizes, const DimSizes& source) {
  if (sizes.size() != 2 || sizes[0] == sizes[1] || sizes == source) return false;
  const auto merges_only = [&](const DimSizes& to) {
    const auto groups = GroupDims(source, to);
    return groups.has_value() &&
           absl::c_none_of(*groups, [](const DimGroup& group) { return group.Splits(); });
  };
  return merges_only({sizes[1], sizes[0]}) && !merges_only(sizes);
}

// Of an operand with these sizes, of the parts of a concatenate.
DimParts PartsOfPiece(const ProductRead& concatenate, const DimSizes& sizes) {
  DimParts parts;
  size_t k = 0;
  for (const DimPart& part : concatenate.parts) {
    while (concatenate.sizes[k] == 1) ++k;
    parts.push_back(part);
    if (part.size == concatenate.sizes[k]) parts.back().size = sizes[k++];
  }
  return parts;
}

}  // namespace

BitcastTiles TilesOfBitcast(const DimSizes& from, const ProductRead& to) {
  BitcastTiles tiles;
  const auto groups = GroupDims(from, to.sizes);
  const auto parts = PartsByDim(to.parts, to.sizes);
  if (!groups.has_value() || !parts.has_value()) return tiles;
  for (const DimGroup& group : *groups) {
    if (group.Merges() && group.Splits()) return tiles;
    tiles.split |= group.Splits();
    const DimParts& whole = (*parts)[group.to[0]];
    const bool is_batch =
        absl::c_any_of(whole, [](const DimPart& part) { return part.role == ProductRole::kBatch; });
    if (group.Merges() && !is_batch && !Divides(group.from, from)) return tiles;
  }
  tiles.fit = true;
  return tiles;
}

DimSizes ProductOperands::SizesOf(uint32_t kernel) const {
  const auto sizes = graph_.ShapeOf(kernel).dims();
  return DimSizes(sizes.begin(), sizes.end());
}

hlo::IntList ProductOperands::DimensionsOf(uint32_t kernel) const {
  return hlo::GetInts(program_.module(), graph_.InstructionOf(kernel),
                      hlo::AttributeName::kDimensions)
      .value_or(hlo::IntList());
}

std::vector<uint32_t> ProductOperands::SkipBitcasts(uint32_t kernel) const {
  std::vector<uint32_t> row = {kernel};
  while (graph_.Is(row.back(), Opcode::kBitcast) && !graph_.node(row.back()).is_product) {
    row.push_back(graph_.node(row.back()).operands[0]);
  }
  return row;
}

std::optional<DimSizes> ProductOperands::SizesBefore(uint32_t kernel, const DimSizes& want) const {
  const auto after =
      graph_.Is(kernel, Opcode::kTranspose) ? SizesBeforeTranspose : SizesBeforeBroadcast;
  return after(DimensionsOf(kernel), SizesOf(kernel), want);
}

bool ProductOperands::LetsBitcastsThrough(uint32_t kernel, const DimSizes& want) const {
  const OpFacts& facts = graph_.facts()[kernel];
  if (facts.is_elementwise || facts.opcode == Opcode::kConstant) return true;
  if (SizesOf(kernel) == want) return true;
  const bool maps = facts.opcode == Opcode::kTranspose || facts.opcode == Opcode::kBroadcast;
  return maps && SizesBefore(kernel, want).has_value();
}

// A transpose that leaves the most minor dimension in its place, and moves more than the batch. Its operand is
// the result of an operation on elements, which nothing else reads.
bool ProductOperands::MovesRows(uint32_t transpose, const DimParts& parts) const {
  const hlo::IntList permutation = DimensionsOf(transpose);
  if (MovesBatch(permutation, parts, SizesOf(transpose))) return false;
  if (permutation.back() + 1 != static_cast<int64_t>(permutation.size())) return false;
  const std::vector<uint32_t> row = SkipBitcasts(graph_.node(transpose).operands[0]);
  return graph_.facts()[row.back()].is_elementwise && IsInReach(row.back()) &&
         absl::c_all_of(row, [&](uint32_t k) { return graph_.node(k).users.size() == 1; });
}

// Of a concatenate: what is contracted is not put together from parts, nor is the batch.
bool ProductOperands::IsAlongFree(const ProductRead& read) const {
  return !graph_.Is(read.kernel, Opcode::kConcatenate) ||
         FreeDimension(read) == DimensionsOf(read.kernel)[0];
}

std::optional<std::vector<ProductRead>> ProductOperands::ReadsOf(const ProductRead& read) const {
  const FusionGraph::Kernels& operands = graph_.node(read.kernel).operands;
  std::vector<ProductRead> reads;
  if (graph_.facts()[read.kernel].is_elementwise) {
    for (const uint32_t k : operands) reads.push_back({k, read.sizes, read.parts, read.is_split});
    return reads;
  }
  const bool transposes = graph_.Is(read.kernel, Opcode::kTranspose);
  if (!transposes && !graph_.Is(read.kernel, Opcode::kBroadcast)) {
    if (!IsAlongFree(read)) return std::nullopt;
    for (const uint32_t k : operands) {
      reads.push_back({k, SizesOf(k), PartsOfPiece(read, SizesOf(k)), read.is_split});
    }
    return reads;
  }
  const auto after = transposes ? PartsBeforeTranspose : PartsBeforeBroadcast;
  auto parts = after(read.parts, SizesOf(read.kernel), DimensionsOf(read.kernel));
  const auto sizes = SizesOf(read.kernel) == read.sizes ? SizesOf(operands[0])
                                                        : SizesBefore(read.kernel, read.sizes);
  if (!parts.has_value() || !sizes.has_value()) return std::nullopt;
  const bool is_walked = !read.is_split && LieTogether(*parts, false) && EndsWhole(*parts);
  if (transposes && (!is_walked || MovesRows(read.kernel, read.parts))) return std::nullopt;
  reads.push_back({operands[0], *sizes, *std::move(parts), read.is_split});
  return reads;
}

// Columns that lie side by side are the bitcast of a matrix with both dimensions exchanged: one that layout
// assignment made.
void ProductOperands::LayOut(const std::vector<uint32_t>& row, ProductRead* read) const {
  constexpr int64_t kExchanged[] = {1, 0};
  for (size_t k = 0; k + 1 < row.size(); ++k) {
    const DimSizes sizes = SizesOf(row[k]);
    if (!ExchangesDimensions(sizes, SizesOf(row[k + 1]))) continue;
    auto laid_out = SizesBeforeTranspose(kExchanged, sizes, read->sizes);
    auto parts = PartsBeforeTranspose(read->parts, sizes, kExchanged);
    if (!laid_out.has_value() || !parts.has_value()) return;
    read->sizes = *std::move(laid_out);
    read->parts = *std::move(parts);
  }
}

std::optional<std::vector<ProductRead>> ProductOperands::TakeIn(uint32_t product,
                                                                ProductRead read) {
  const std::vector<uint32_t> row = SkipBitcasts(read.kernel);
  const uint32_t source = row.back();
  if (!IsInReach(source)) return std::nullopt;
  LayOut(row, &read);
  if (!LetsBitcastsThrough(source, read.sizes)) return TakeBitcastsIn(product, row, read);
  if (!IsWorthAsOperand(source)) return std::nullopt;
  read.kernel = source;
  auto reads = ReadsOf(read);
  if (!reads.has_value()) return std::nullopt;
  for (const uint32_t kernel : row) graph_.FuseIntoProduct(kernel, product);
  return reads;
}

// Those that could not be moved.
std::optional<std::vector<ProductRead>> ProductOperands::TakeBitcastsIn(
    uint32_t product, const std::vector<uint32_t>& row, const ProductRead& read) {
  const uint32_t source = row.back();
  const DimSizes sizes = SizesOf(source);
  const BitcastTiles tiles = TilesOfBitcast(sizes, read);
  if (!tiles.fit) return std::nullopt;
  if (row.size() == 1) graph_.ReadLast(product, source);
  for (size_t k = 0; k + 1 < row.size(); ++k) graph_.FuseIntoProduct(row[k], product);
  return {{{source, sizes, read.parts, read.is_split || tiles.split, true}}};
}

void ProductOperands::FuseInto(uint32_t product, std::vector<ProductRead> open) {
  for (size_t k = 0; k < open.size(); ++k) {
    const FusionGraph::Kernels& operands = graph_.node(product).operands;
    if (operands.size() >= kMostOperands) return;
    if (!absl::c_linear_search(operands, open[k].kernel)) continue;
    const auto next = TakeIn(product, open[k]);
    if (next.has_value()) {
      open.insert(open.end(), next->begin(), next->end());
    } else if (open[k].is_reshaped || open[k].sizes != SizesOf(open[k].kernel)) {
      graph_.ReadReshaped(product, open[k].kernel);
    }
  }
}

}  // namespace tessera::target
