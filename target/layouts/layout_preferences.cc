#include "tessera/target/layouts/layout_preferences.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

uint64_t Bit(int64_t dimension) { return uint64_t{1} << (dimension & 63); }

MinorChoice Only(int64_t minor, int64_t second) { return {Bit(minor), Bit(second)}; }

// Features, or the batch where that pads less.
MinorChoice LanesOf(const Shape& array, int64_t feature, int64_t batch) {
  const MinorChoice features = Only(feature, batch), images = Only(batch, feature);
  const auto bytes = [&](MinorChoice choice) {
    return layout::TpuBytesOf(array, layout::TpuGenerationOf(""), choice);
  };
  return bytes(images) < bytes(features) ? images : features;
}

absl::InlinedVector<int64_t, 6> SizesOf(const Shape& array) {
  return {array.dims().begin(), array.dims().end()};
}

// After so many elements.
int64_t ElementsBefore(const Shape& array, int64_t dimension) {
  int64_t elements = 1;
  for (int64_t d = 0; d < dimension; ++d) elements *= array.dim(d);
  return elements;
}

// Where dimension `d` of the operand is in the result of what moves elements; -1 where it changed.
int64_t PlaceOf(const hlo::Module& module, InstructionId id, int64_t d) {
  const Shape& from = module.shape(module.operands(id)[0]);
  const Shape& to = module.shape(id);
  switch (module.instruction(id).opcode) {
    case Opcode::kReshape:
      return KeptDimension(from, to, d);
    case Opcode::kTranspose: {
      const auto order = hlo::GetInts(module, id, hlo::AttributeName::kDimensions);
      return order.has_value() ? absl::c_find(*order, d) - order->begin() : -1;
    }
    default:
      return from.dim(d) == to.dim(d) ? d : -1;
  }
}

// The first dimension is in no tile; of two dimensions, it is not most minor.
MinorChoice WithinLayers(int64_t rank) {
  const uint64_t layer = ~Bit(0);
  return {layer, rank > 2 ? layer : Bit(0)};
}

// All of a stack but that it has one element in the first dimension.
bool IsLayerOf(const Shape& layer, const Shape& stack) {
  return layer.rank() == stack.rank() && stack.rank() >= 2 && layer.dim(0) == 1 &&
         stack.dim(0) > 1 && layer.dims().subspan(1) == stack.dims().subspan(1);
}

}  // namespace

LayoutPreferences::LayoutPreferences(const Dataflow& flow) {
  for (const Scope& scope : flow.scopes) {
    for (const NodeId n : scope.nodes) {
      const InstructionId id = flow.nodes[n].instruction;
      if (id != hlo::kNoId) AskFor(*flow.module, id);
    }
  }
}

LayoutPreferences::LayoutPreferences(const hlo::Module& module) {
  const std::vector<hlo::ComputationId> computations = hlo::ComputationPostOrder(module);
  for (auto c = computations.rbegin(); c != computations.rend(); ++c) {
    for (const InstructionId id : module.computation(*c).instructions) AskFor(module, id);
  }
}

void LayoutPreferences::AskFor(const hlo::Module& module, InstructionId id) {
  switch (module.instruction(id).opcode) {
    case Opcode::kDot:
      return AskForProduct(module, id);
    case Opcode::kConvolution:
      return AskForConvolution(module, id);
    case Opcode::kGather:
      return AskForGather(module, id);
    case Opcode::kReduce:
      return AskForReduction(module, id);
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
      return AskForStack(module, id);
    case Opcode::kSlice:
      AskForStrided(module, id);
      return AskForMoved(module, id);
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kPad:
    case Opcode::kReverse:
      return AskForMoved(module, id);
    default:
      return;
  }
}

// Of the last dimension, where the operand fills all lanes with it.
void LayoutPreferences::AskForStrided(const hlo::Module& module, InstructionId id) {
  constexpr int64_t kLanes = 128;
  const Shape& from = module.shape(module.operands(id)[0]);
  if (from.rank() < 2 || from.dim(from.rank() - 1) % kLanes != 0) return;
  const std::vector<hlo::SliceDimension> slice = hlo::GetSlice(module, id);
  if (slice.size() != static_cast<size_t>(from.rank()) || slice.back().stride == 1) return;
  const uint64_t last = Bit(from.rank() - 1);
  Ask(module.shape(id), {last, ~last});
}

MinorChoice LayoutPreferences::Of(const Shape& array) const {
  if (!array.is_array()) return {};
  const Sizes sizes(array.dims().begin(), array.dims().end());
  const auto found = preferences_.find(sizes);
  if (found != preferences_.end()) return found->second;
  if (sizes.size() < 2) return {};
  const auto layer = preferences_.find(Sizes(sizes.begin() + 1, sizes.end()));
  if (layer != preferences_.end()) return {layer->second.minor << 1, layer->second.second << 1};
  return stacks_.contains(sizes) ? WithinLayers(array.rank()) : MinorChoice();
}

void LayoutPreferences::Ask(const Shape& array, MinorChoice choice) {
  if (array.rank() < 2) return;
  preferences_.emplace(Sizes(array.dims().begin(), array.dims().end()), choice);
}

// Of the result, batch dimensions come first.
void LayoutPreferences::AskForProduct(const hlo::Module& module, InstructionId id) {
  const Shape& result = module.shape(id);
  const hlo::DotDimensions dims = hlo::GetDotDimensions(module, id);
  const auto batch = static_cast<int64_t>(dims.lhs_batch.size());
  if (batch == 0) return;
  AskForCopy(module, module.operands(id)[0], dims.lhs_batch);
  AskForCopy(module, module.operands(id)[1], dims.rhs_batch);
  if (result.rank() - batch < 2) return;
  const uint64_t free = ~uint64_t{0} << batch;
  Ask(result, {free, free});
}

// An operand of a product.
void LayoutPreferences::AskForCopy(const hlo::Module& module, InstructionId operand,
                                   absl::Span<const int64_t> batch) {
  if (StandsForCopy(module, operand)) Ask(module.shape(operand), OutOfTiles(batch));
}

void LayoutPreferences::AskForConvolution(const hlo::Module& module, InstructionId id) {
  const auto dims = hlo::GetConvolutionDimensions(module, id);
  if (!dims.has_value()) return;
  const Shape& input = module.shape(module.operands(id)[0]);
  const Shape& result = module.shape(id);
  Ask(input, LanesOf(input, dims->input_feature, dims->input_batch));
  Ask(result, LanesOf(result, dims->output_feature, dims->output_batch));
  of_convolutions_.insert(SizesOf(input));
  of_convolutions_.insert(SizesOf(result));
}

// The lanes stay where their dimension is not changed; so do the rows, or else any dimension gives them.
void LayoutPreferences::AskForMoved(const hlo::Module& module, InstructionId id) {
  const Shape& from = module.shape(module.operands(id)[0]);
  const Shape& to = module.shape(id);
  if (!from.is_array() || !of_convolutions_.contains(SizesOf(from))) return;
  const MinorChoice choice = preferences_.at(SizesOf(from));
  MinorChoice moved = {0, 0};
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t at = PlaceOf(module, id, d);
    if (at < 0) continue;
    if (choice.minor == Bit(d)) moved.minor = Bit(at);
    if (choice.second == Bit(d)) moved.second = Bit(at);
  }
  if (moved.minor == 0) return;
  if (moved.second == 0) moved.second = ~moved.minor;
  Ask(to, moved);
  if (preferences_.at(SizesOf(to)).minor == moved.minor) of_convolutions_.insert(SizesOf(to));
}

void LayoutPreferences::AskForReduction(const hlo::Module& module, InstructionId id) {
  const Shape& from = module.shape(module.operands(id)[0]);
  if (!module.shape(id).is_array() || !of_convolutions_.contains(SizesOf(from))) return;
  const auto reduced = hlo::GetInts(module, id, hlo::AttributeName::kDimensions);
  const Shape laid =
      layout::TpuLayoutOf(from, layout::TpuGenerationOf(""), preferences_.at(SizesOf(from)));
  absl::InlinedVector<int64_t, 6> left;  // dimensions of the result, the most minor one first
  for (const int64_t d : laid.layout().minor_to_major) {
    if (!absl::c_linear_search(*reduced, d))
      left.push_back(d - absl::c_count_if(*reduced, [&](int64_t r) { return r < d; }));
  }
  if (left.size() >= 2) Ask(module.shape(id), Only(left[0], left[1]));
}

void LayoutPreferences::AskForGather(const hlo::Module& module, InstructionId id) {
  if (!GathersRows(module, id)) return;
  for (const Shape* array : {&module.shape(id), &module.shape(module.operands(id)[0])}) {
    Ask(*array, Only(array->rank() - 1, array->rank() - 2));
  }
}

// A loop makes or reads one layer in each round.
void LayoutPreferences::AskForStack(const hlo::Module& module, InstructionId id) {
  const bool reads = module.instruction(id).opcode == Opcode::kDynamicSlice;
  const Shape& stack = module.shape(module.operands(id)[0]);
  const Shape& layer = reads ? module.shape(id) : module.shape(module.operands(id)[1]);
  if (IsLayerOf(layer, stack)) stacks_.emplace(stack.dims().begin(), stack.dims().end());
}

MinorChoice OutOfTiles(absl::Span<const int64_t> batch) {
  uint64_t free = ~uint64_t{0};
  for (const int64_t d : batch) free &= ~Bit(d);
  return {free, free};
}

int64_t KeptDimension(const Shape& from, const Shape& to, int64_t d) {
  for (int64_t at = 0; at < to.rank(); ++at) {
    if (to.dim(at) == from.dim(d) && ElementsBefore(to, at) == ElementsBefore(from, d)) return at;
  }
  return -1;
}

bool GathersSlabs(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kGather) return false;
  const auto sizes = hlo::GetGatherDimensions(module, id).slice_sizes;
  return absl::c_count_if(sizes, [](int64_t size) { return size > 1; }) > 1;
}

bool GathersRows(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kGather || GathersSlabs(module, id)) return false;
  const Shape& table = module.shape(module.operands(id)[0]);
  const Shape& result = module.shape(id);
  const hlo::GatherDimensions dims = hlo::GetGatherDimensions(module, id);
  if (dims.offset_dims.empty() || dims.slice_sizes.empty()) return false;
  return table.rank() >= 2 && result.rank() >= 2 && dims.offset_dims.back() == result.rank() - 1 &&
         dims.slice_sizes.back() == table.dim(table.rank() - 1);
}

}  // namespace tessera::target
