// Nodes, and the dimensions along which all their data is equal. Such dimensions start at
// broadcasts and save permutes: equal data need not be exchanged. Dimensions beyond 64 count as
// different.

#include "tessera/sharding/partition/reshard/graph.h"

#include <algorithm>

namespace tessera::sharding::partition {
namespace {

uint64_t Bit(int64_t dim) { return dim < 64 ? uint64_t{1} << dim : 0; }
bool Has(uint64_t mask, int64_t dim) { return (mask & Bit(dim)) != 0; }

Dims ToDims(Ints list) { return Dims(list.begin(), list.end()); }

uint64_t AllDims(int64_t rank) { return rank < 64 ? Bit(rank) - 1 : ~uint64_t{0}; }

// The dimensions of a reshape that still hold equal data: those made only of dimensions with equal
// data. None unless complete dimensions are split or merged.
uint64_t SameDimsOfReshape(const Shape& from, const Shape& to, uint64_t same) {
  uint64_t out = AllDims(to.rank());
  std::vector<int64_t> before(from.dims().rbegin(), from.dims().rend());
  std::vector<int64_t> after(to.dims().rbegin(), to.dims().rend());
  while (!before.empty() && !after.empty()) {
    const int64_t from_size = before.back(), to_size = after.back();
    const int64_t from_dim = from.rank() - Size(before), to_dim = to.rank() - Size(after);
    before.pop_back();
    after.pop_back();
    if (!Has(same, from_dim)) out &= ~Bit(to_dim);
    if (from_size == to_size) continue;
    if (to_size != 0 && from_size % to_size == 0) {
      before.push_back(from_size / to_size);
    } else if (from_size != 0 && to_size % from_size == 0) {
      after.push_back(to_size / from_size);
    } else {
      return 0;
    }
  }
  return before.empty() && after.empty() ? out : 0;
}

}  // namespace

void Graph::Reserve(size_t instructions) {
  nodes_.Reserve(2 * instructions);
  operands_.Reserve(4 * instructions);
  memory_->fingerprint_groups.Reserve(2 * instructions);
  memory_->reshard_cache.Reserve(2 * instructions);
}

const Grouping& Graph::GroupsOn(const Tiling& tiling, Ints dims, Ints keep) {
  absl::InlinedVector<uint64_t, 16> words = {memory_->reshard_cache.NumberOf(tiling), dims.size()};
  words.insert(words.end(), dims.begin(), dims.end());
  words.insert(words.end(), keep.begin(), keep.end());
  return memory_->known_tilings.groups.Of(words, [&] { return GroupOn(tiling, dims, keep); });
}

const Shape* Graph::KeptArray(const Shape& shape) {
  uint64_t hash = static_cast<uint64_t>(shape.element_type());
  for (int64_t dim : shape.dims()) hash = (hash ^ static_cast<uint64_t>(dim)) * 0x9e3779b97f4a7c15u;
  auto& known = arrays_[hash];
  for (const Shape* one : known) {
    if (one == &shape || *one == shape) return one;
  }
  known.push_back(AddShape(shape));
  return known.back();
}

const Shape* Graph::AddShape(Shape shape) {
  const auto number = static_cast<uint32_t>(shapes_.size());
  return &shapes_.Add(KeptShape{std::move(shape), number});
}

NodeId Graph::AddSame(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                      uint64_t same_dims, RecipeId recipe) {
  Node node;
  node.opcode = opcode;
  node.recipe = recipe;
  node.shape = kept;
  node.same_dims = same_dims;
  std::copy(operands.begin(), operands.end(), operands_.Room(operands.size()));
  return Append(node, operands.size());
}

void Graph::NameCollective(NodeId id) {
  const bool given = At(forms_, node(id).form).given != hlo::kNoId;
  if (given || !behaviors_.collectives_name_their_operand) return;
  At(nodes_, id).named = node(operands(id)[0]).named;
}

Node& Graph::Marked(NodeId id) {
  if (marked_ != nullptr) marked_->push_back(id);
  memory_->fingerprint_groups.Touch(id);
  At(nodes_, id).state = 0;
  return At(nodes_, id);
}

void Graph::MarkLike(NodeId id, const NodeMarks& marks) {
  Node& node = Marked(id);
  // Of a get-tuple-element this is the index: no mark.
  if (node.opcode == Opcode::kConstant) node.element = marks.element;
  node.unreduced = marks.unreduced;
  node.is_v1 = marks.is_v1;
  node.is_v1_by_operand = marks.is_v1_by_operand;
}

NodeId Graph::AddTuple(absl::Span<const NodeId> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (NodeId element : elements) shapes.push_back(shape(element));
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements, Recipes::kPlain);
}

NodeId Graph::AddCollective(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
                            CollectiveForm form) {
  const NodeId id = Add(opcode, shape, operands, Recipes::kPlain);
  At(nodes_, id).form = static_cast<int32_t>(forms_.size());
  forms_.push_back(std::move(form));
  NameCollective(id);
  return id;
}

NodeId Graph::AddCall(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                      CallSite site) {
  const NodeId id = AddSame(opcode, kept, operands, 0, Recipes::kPlain);
  At(nodes_, id).site = static_cast<int32_t>(sites_.size());
  sites_.push_back(std::move(site));
  return id;
}

NodeId Graph::Zero(const Shape& like) {
  return Zeros(Shape::Array(like.element_type(), {}, std::nullopt));
}

NodeId Graph::Scalar(layout::ElementType type, recipe::Fill::Number value) {
  const RecipeId recipe = Keep([value] { return recipe::Fill{value}; });
  return Add(Opcode::kConstant, Shape::Array(type, {}, std::nullopt), {}, recipe);
}

NodeId Graph::Broadcast(const Shape& shape, NodeId operand, Ints mapped) {
  uint64_t same = 0;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!Contains(mapped, i)) same |= Bit(i);
  }
  for (int64_t i = 0; i < Size(mapped); ++i) {
    if (Has(node(operand).same_dims, i)) same |= Bit(At(mapped, i));
  }
  const RecipeId recipe = Keep([mapped] { return recipe::Dimensions{ToDims(mapped)}; });
  return AddSame(Opcode::kBroadcast, Kept(shape), {operand}, same, recipe);
}

uint64_t Graph::AllDimsOf(const Shape& shape) {
  return shape.is_tuple() ? 0 : AllDims(shape.rank());
}

NodeId Graph::Elementwise(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                          RecipeId recipe) {
  uint64_t same = operands.empty() ? 0 : AllDimsOf(*kept);
  for (NodeId operand : operands) same &= node(operand).same_dims;
  return AddSame(opcode, kept, operands, same, recipe);
}

NodeId Graph::Reshape(const Shape& shape, NodeId operand) {
  const uint64_t same = node(operand).same_dims;
  const uint64_t out = same == 0 ? 0 : SameDimsOfReshape(this->shape(operand), shape, same);
  return AddSame(Opcode::kReshape, Kept(shape), {operand}, out, Recipes::kPlain);
}

NodeId Graph::Transpose(const Shape& shape, NodeId operand, Ints order) {
  uint64_t same = 0;
  for (int64_t i = 0; i < Size(order); ++i) {
    if (Has(node(operand).same_dims, At(order, i))) same |= Bit(i);
  }
  const RecipeId recipe = Keep([order] { return recipe::Dimensions{ToDims(order)}; });
  return AddSame(Opcode::kTranspose, Kept(shape), {operand}, same, recipe);
}

NodeId Graph::Concatenate(const Shape& shape, absl::Span<const NodeId> operands, int64_t dim) {
  return Add(Opcode::kConcatenate, shape, operands,
             Keep([dim] { return recipe::Concatenate{dim}; }));
}

NodeId Graph::Slice(const Shape& shape, NodeId operand,
                    absl::Span<const hlo::SliceDimension> slice) {
  const RecipeId recipe = Keep([slice] { return recipe::Slice{{slice.begin(), slice.end()}}; });
  return AddSame(Opcode::kSlice, Kept(shape), {operand}, node(operand).same_dims, recipe);
}

NodeId Graph::SliceFrom(const Shape& shape, NodeId operand, int64_t dim, int64_t start) {
  const RecipeId recipe = Keep([dim, start] { return recipe::SliceFrom{dim, start}; });
  return AddSame(Opcode::kSlice, Kept(shape), {operand}, node(operand).same_dims, recipe);
}

NodeId Graph::DynamicSlice(const Shape& shape, absl::Span<const NodeId> operands, RecipeId recipe) {
  return AddSame(Opcode::kDynamicSlice, Kept(shape), operands, node(operands[0]).same_dims, recipe);
}

NodeId Graph::Pad(const Shape& shape, NodeId operand, NodeId value, uint64_t untouched,
                  absl::Span<const hlo::PaddingDimension> padding) {
  const RecipeId recipe = Keep([padding] { return recipe::Pad{{padding.begin(), padding.end()}}; });
  return AddSame(Opcode::kPad, Kept(shape), {operand, value}, node(operand).same_dims & untouched,
                 recipe);
}

NodeId Graph::PadHigh(const Shape& shape, NodeId operand, NodeId value, uint64_t untouched) {
  std::vector<hlo::PaddingDimension> padding;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    padding.push_back({0, shape.dim(i) - this->shape(operand).dim(i), 0});
  }
  return Pad(shape, operand, value, untouched, padding);
}

NodeId Graph::Element(NodeId tuple, int64_t index) {
  const NodeId id =
      Add(Opcode::kGetTupleElement, shape(tuple).tuple_elements()[static_cast<size_t>(index)],
          {tuple}, Recipes::kPlain);
  At(nodes_, id).element = static_cast<int32_t>(index);
  return id;
}

NodeId Graph::SkipTuples(NodeId id) const {
  absl::InlinedVector<int64_t, 4> path;
  NodeId at = id;
  while (true) {
    if (node(at).opcode == Opcode::kGetTupleElement) {
      path.push_back(node(at).element);
      at = operands(at)[0];
    } else if (node(at).opcode == Opcode::kTuple && !path.empty()) {
      at = operands(at)[static_cast<size_t>(path.back())];
      path.pop_back();
      if (path.empty()) id = at;
    } else {
      return id;
    }
  }
}

}  // namespace tessera::sharding::partition
