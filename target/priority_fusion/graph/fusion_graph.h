// The kernels of a computation while they are fused.
//
//   FusionGraph graph(program, c);          // each instruction is a kernel
//   graph.Fuse(producer, consumer);         // the consumer computes the producer's result itself
//   graph.FuseOutputs(kept, gone);          // one kernel with the results of both
//   graph.ToKernelGraph();                  // for the combiners, of ops
//
// A kernel that becomes a fusion gets a new number, as
// XLA gives it a new id: numbers break ties. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_FUSION_GRAPH_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_FUSION_GRAPH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/shape.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/priority_fusion/kernel_time.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/triton/known_tiles.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

class FusionGraph {
 public:
  using Kernels = absl::InlinedVector<uint32_t, 4>;  // as large as a std::vector

  struct Node {
    absl::InlinedVector<Expression, 1> outputs;
    Kernels operands;  // may repeat until it is a fusion
    Kernels users;     // each once
    uint32_t number = 0;
    bool is_fusion = false;
    bool is_gone = false;
    bool is_root = false;
    bool has_reduction = false;
    bool is_triton = false;
    bool is_product = false;         // of Triton or a library, with what it computes besides
    std::vector<uint32_t> reshaped;  // kernels of which a product reads a bitcast
    std::optional<KernelCost> cost;
  };

  enum class Upto { kProducts, kDiamonds };

  // Reads the program as long as it is there. Products and diamonds are fused. A graph of products alone is for
  // questions about these: it has no costs, and its facts are FactsOfResult().
  FusionGraph(const DeviceProgram& program, ComputationId c, Upto upto = Upto::kDiamonds);

  size_t size() const { return nodes_.size(); }
  const Node& node(uint32_t kernel) const { return nodes_[kernel]; }
  // Its result; of several the first.
  const OpFacts& Result(uint32_t kernel) const { return facts_[results_[kernel]]; }
  // An instruction alone with this opcode.
  bool Is(uint32_t kernel, Opcode opcode) const {
    return !nodes_[kernel].is_fusion && Result(kernel).opcode == opcode;
  }
  // It may become a part of another kernel, or another one a part of it.
  bool IsFusible(uint32_t kernel) const {
    return nodes_[kernel].is_fusion || (!nodes_[kernel].is_product && Result(kernel).is_fusible);
  }
  bool IsMultiOutput(uint32_t kernel) const { return nodes_[kernel].outputs.size() > 1; }
  InstructionId InstructionOf(uint32_t op) const { return instructions_[op]; }
  const layout::Shape& ShapeOf(uint32_t op) const { return program_.shape(instructions_[op]); }
  // The text of the attribute.
  absl::string_view DimensionsOf(uint32_t op) const;
  // One of its kernels is one of Triton.
  bool HasTriton() const { return has_triton_; }
  const std::vector<OpFacts>& facts() const { return facts_; }
  const KernelCost& CostOf(uint32_t kernel);
  // Of both as one kernel of Triton; nothing if that cannot be made.
  std::optional<double> TritonTicksFused(uint32_t producer, uint32_t consumer);

  void Fuse(uint32_t producer, uint32_t consumer);
  // An instruction that reads a constant of one element is a fusion, which has the constant inside.
  void FuseConstants();
  // A product computes what it reads; or a user computes it, and is the product then.
  void FuseIntoProduct(uint32_t producer, uint32_t product);
  void FuseProductInto(uint32_t product, uint32_t user);
  // It reads this one after all others.
  void ReadLast(uint32_t product, uint32_t operand);
  // It reads a bitcast of this one, which XLA puts in front of the product.
  void ReadReshaped(uint32_t product, uint32_t operand);
  // The user reads a bitcast of the kernel, or is one.
  bool IsBitcastOf(uint32_t user, uint32_t kernel) const;
  // Its operands in the order in which XLA names them when it makes the fusion anew.
  void RenameOperands(uint32_t product);
  // `gone` may be a producer of `kept`, with one result. Neither may need the other's result through a third.
  void FuseOutputs(uint32_t kept, uint32_t gone);
  // If it has no users.
  void RemoveUnused(uint32_t kernel);

  // Kernels that one of both reads.
  size_t CountOperands(uint32_t a, uint32_t b) const;
  // Kernels that are there, operands first, as XLA goes through them.
  std::vector<uint32_t> PostOrder() const;
  // The same, of the graph as it was built.
  const std::vector<uint32_t>& FirstOrder() const { return kernels_by_place_; }
  // `to` needs the result of `from`, maybe through others. Cost: linear in what lies between their places.
  bool Reaches(uint32_t from, uint32_t to) const;
  // Operands have smaller ones.
  uint32_t place(uint32_t kernel) const { return places_[kernel]; }
  // Calls `visit` with both kernels and those whose places lie between, in the order of their places.
  template <typename Visit>
  void ForEachBetween(uint32_t first, uint32_t last, Visit&& visit) const {
    for (uint32_t place = places_[first]; place <= places_[last]; ++place) {
      const uint32_t kernel = kernels_by_place_[place];
      if (places_[kernel] == place && !nodes_[kernel].is_gone) visit(kernel);
    }
  }
  // With ops in the place of instructions.
  KernelGraph ToKernelGraph() const;

 private:
  void BecomeFusion(Node* node);
  // Until the places of others are asked for. Each is there once.
  OperandPlaces PlacesOf(absl::Span<const uint32_t> operands);
  // Reductions of rows become kernels of Triton.
  void FuseDiamonds();
  bool HasTritonCode(uint32_t kernel) const;
  // Kernels that are there.
  std::vector<uint32_t> ByNumber(absl::FunctionRef<bool(const Node&)> is_meant) const;
  // The operands of `kernel` without `gone`, then those of `gone` as they are appended.
  Kernels JoinedOperands(uint32_t kernel, uint32_t gone) const;
  void SetOperands(uint32_t kernel, Kernels operands);
  // These and no others, with the mark mark_.
  void Mark(absl::Span<const uint32_t> kernels) const;
  // Marks them, and adds those that were not marked.
  void AddUnmarked(absl::Span<const uint32_t> kernels, Kernels* list) const;
  void RemoveUser(uint32_t kernel, uint32_t user);
  // Kernels whose places lie between, which lead to `kernel` or to which it leads, and itself.
  std::vector<uint32_t> Between(uint32_t kernel, Kernels Node::*next, uint32_t after,
                                uint32_t before) const;
  std::vector<uint32_t> ByPlace(std::vector<uint32_t> kernels) const;
  void PutAt(uint32_t place, uint32_t kernel);
  // The place of `kept` becomes one after all that either of them needs, and in front of all that need one.
  void JoinPlaces(uint32_t kept, uint32_t gone);

  const DeviceProgram& program_;
  std::vector<InstructionId> instructions_;
  std::vector<OpFacts> facts_;     // by op: an index into instructions_
  std::vector<uint32_t> results_;  // by kernel: op
  std::vector<Node> nodes_;        // by kernel
  std::vector<uint32_t> places_;   // by kernel: operands have smaller ones
  std::vector<uint32_t>
      kernels_by_place_;  // that of a place which was left still names who was there
  uint32_t next_number_ = 0;
  bool has_triton_ = false;
  KnownTiles tiles_;
  mutable std::vector<uint32_t> marks_;
  mutable uint32_t mark_ = 0;
  mutable std::vector<uint32_t> open_;    // of a search
  std::vector<uint32_t> operand_places_;  // by kernel, of those of a kernel whose time is counted
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_FUSION_GRAPH_H_
