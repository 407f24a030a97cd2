#include "tessera/target/priority_fusion/products/product_fusion.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {
namespace {

DimSizes Inverse(absl::Span<const int64_t> permutation) {
  DimSizes inverse(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) {
    inverse[static_cast<size_t>(permutation[k])] = static_cast<int64_t>(k);
  }
  return inverse;
}

// The other part of the pass, for one product.
class ProductUsers {
 public:
  ProductUsers(FusionGraph* graph, ProductOperands* operands, uint32_t product, ProductRead result)
      : graph_(*graph), operands_(*operands), product_(product), result_(std::move(result)) {}

  void Fuse() {
    for (uint32_t last = product_; HasUserInReach(last);) {
      const uint32_t user = graph_.node(last).users[0];
      last = user;
      if (graph_.Is(user, Opcode::kBitcast)) {
        bitcasts_.push_back(user);
      } else if (!TakesResult(user)) {
        return;
      } else {
        TakeIn(user);
      }
    }
  }

 private:
  bool HasUserInReach(uint32_t kernel) const {
    const FusionGraph::Kernels& users = graph_.node(kernel).users;
    return users.size() == 1 &&
           (graph_.Is(users[0], Opcode::kBitcast) || operands_.IsInReach(users[0]));
  }

  // The result as the next user reads it.
  DimSizes Read() const {
    return operands_.SizesOf(bitcasts_.empty() ? product_ : bitcasts_.back());
  }

  // No bitcast stands in between, but of dimensions of size 1.
  bool IsAsMade() const {
    const auto groups = GroupDims(Read(), result_.sizes);
    return groups.has_value() && absl::c_none_of(*groups, [](const DimGroup& group) {
             return group.Merges() || group.Splits();
           });
  }

  // What the product does not compute itself; also once for many elements, if no bitcast is in the way.
  bool IsMade(uint32_t operand) const {
    const uint32_t source = operands_.SkipBitcasts(operand).back();
    if (!graph_.Is(source, Opcode::kBroadcast)) return !operands_.IsInReach(source);
    const uint32_t one = operands_.SkipBitcasts(graph_.node(source).operands[0]).back();
    return IsAsMade() && (graph_.Is(one, Opcode::kConstant) || !operands_.IsInReach(one));
  }

  // It reads no fewer bytes than it gives, and nothing that would have to be computed for it.
  bool IsWorthAsUser(uint32_t user) const {
    constexpr double kTolerance = 1024;
    double read = 0;
    for (const uint32_t operand : graph_.node(user).operands) {
      read += graph_.facts()[operand].bytes;
      if (!IsMade(operand)) return false;
    }
    return read - graph_.facts()[user].bytes >= -kTolerance;
  }

  // Bitcasts that cannot be moved after the next user become a part of the product.
  bool TakesBitcasts() {
    const DimSizes read = Read();
    if (IsAsMade()) return true;
    const auto groups = GroupDims(read, result_.sizes);
    const bool fit = groups.has_value() && absl::c_none_of(*groups, [](const DimGroup& group) {
                       return group.Merges() && group.Splits();
                     });
    if (fit) graph_.RenameOperands(product_);
    result_.sizes = read;
    return fit;
  }

  bool TakesTranspose(uint32_t user) {
    const hlo::IntList permutation = operands_.DimensionsOf(user);
    const DimSizes back = Inverse(permutation);
    const DimSizes read = operands_.SizesOf(graph_.node(user).operands[0]);
    const bool is_moved = SizesBeforeTranspose(back, read, result_.sizes).has_value();
    if (!is_moved && !TakesBitcasts()) return false;
    auto parts = PartsBeforeTranspose(result_.parts, read, back);
    if (!parts.has_value() || (!is_moved && !LieTogether(*parts, true))) return false;
    result_.parts = *std::move(parts);
    result_.sizes = operands_.SizesOf(user);
    return true;
  }

  bool TakesResult(uint32_t user) {
    if (graph_.Is(user, Opcode::kTranspose)) return TakesTranspose(user);
    if (graph_.facts()[user].is_elementwise) return IsWorthAsUser(user);
    TakesBitcasts();
    return false;
  }

  void TakeIn(uint32_t user) {
    bitcasts_.push_back(user);
    const FusionGraph::Kernels before = graph_.node(product_).operands;
    for (const uint32_t next : std::exchange(bitcasts_, {})) {
      graph_.FuseProductInto(std::exchange(product_, next), next);
    }
    std::vector<ProductRead> open;
    for (const uint32_t operand : graph_.node(product_).operands) {
      if (absl::c_linear_search(before, operand)) continue;
      open.push_back({operand, result_.sizes, result_.parts, false});
    }
    operands_.FuseInto(product_, std::move(open));
  }

  FusionGraph& graph_;
  ProductOperands& operands_;
  uint32_t product_;
  ProductRead result_;
  std::vector<uint32_t> bitcasts_;  // between the product and its last user
};

}  // namespace

void FuseProducts(const DeviceProgram& program, FusionGraph* graph) {
  ProductOperands operands(program, graph);
  for (const uint32_t dot : graph->FirstOrder()) {
    if (!graph->Is(dot, Opcode::kDot)) continue;
    ProductArrays arrays = ArraysOf(program, *graph, dot);
    operands.FuseInto(dot, std::move(arrays.operands));
    ProductUsers(graph, &operands, dot, std::move(arrays.result)).Fuse();
  }
}

absl::flat_hash_set<InstructionId> ComputedByProducts(const DeviceProgram& program,
                                                      ComputationId c) {
  absl::flat_hash_set<InstructionId> computed;
  const auto is_product = [&](InstructionId id) {
    return !program.IsRemoved(id) && program.opcode(id) == Opcode::kDot;
  };
  if (absl::c_none_of(program.module().computation(c).instructions, is_product)) return computed;
  const FusionGraph graph(program, c, FusionGraph::Upto::kProducts);
  for (uint32_t kernel = 0; kernel < graph.size(); ++kernel) {
    if (graph.node(kernel).is_gone || !graph.node(kernel).is_product) continue;
    for (const FusedOp& op : graph.node(kernel).outputs[0]) {
      computed.insert(graph.InstructionOf(op.op));
    }
  }
  return computed;
}

}  // namespace tessera::target
