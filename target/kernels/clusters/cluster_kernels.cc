#include "tessera/target/kernels/clusters/cluster_kernels.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/kernels/body.h"
#include "tessera/target/kernels/clusters/clusters.h"
#include "tessera/target/kernels/clusters/fused_clusters.h"
#include "tessera/target/kernels/clusters/repeats.h"
#include "tessera/target/kernels/few_rows.h"
#include "tessera/target/kernels/fused.h"
#include "tessera/target/kernels/layout_copies.h"
#include "tessera/target/kernels/places.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/products/tile_copy.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/kernels/row_updates.h"
#include "tessera/target/kernels/work_of_opcode.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// From the most minor one, those with more than one element.
absl::InlinedVector<int64_t, 6> OrderOf(const layout::Shape& array) {
  absl::InlinedVector<int64_t, 6> dims;
  for (const int64_t d : array.layout().minor_to_major) {
    if (array.dim(d) > 1) dims.push_back(d);
  }
  return dims;
}

class Maker {
 public:
  Maker(const hlo::Module& module, const std::vector<InstructionId>& order,
        const ClusterFacts& facts)
      : module_(module),
        order_(order),
        facts_(facts),
        places_(module, order, facts.loops, facts.memory),
        few_rows_(module, order) {}

  std::vector<DeviceKernel> Make() {
    const std::vector<Cluster> clusters = Clusters();
    for (const Cluster& cluster : clusters) TellOfProduct(cluster);
    for (const InstructionId id : order_) {
      if (opcode(id) == Opcode::kAllReduce) summed_.insert(module_.operands(id)[0]);
    }
    for (const Cluster& cluster : clusters) {
      if (!IsFree(cluster)) Add(cluster);
    }
    for (const InstructionId id : order_) {
      const Role role = RoleOf(module_, id);
      if (role == Role::kAlone && !fused_.contains(id)) AddAlone(id);
      if (IsTpu() && IsIndexed(module_, id)) AddRowCopies(id);
      if (IsTpu() && opcode(id) == Opcode::kWhile) AddCopiesAround(id);
      if (IsTpu() && IsWrittenSlice(module_, id)) AddSliceCopy(id);
      if (IsTpu() && opcode(id) == Opcode::kConvolution) AddImageCopy(id);
      if (role == Role::kFusion) Add(BodyOfFusion(module_, id), id);
    }
    const hlo::ComputationId computation = module_.instruction(order_.front()).computation;
    for (const ConvertedStack& stack : facts_.loops.ConvertedIn(computation)) AddConversion(stack);
    for (const LayoutCopy& copy : FindLayoutCopies(module_, order_, facts_.chip.platform))
      AddCopy(copy);
    return std::move(kernels_);
  }

 private:
  Opcode opcode(InstructionId id) const { return module_.instruction(id).opcode; }

  // Null where no fusion was modelled.
  const KernelResults* KnownKernels() const {
    if (facts_.fused == nullptr || order_.empty()) return nullptr;
    const auto known = facts_.fused->find(module_.instruction(order_.front()).computation);
    return known == facts_.fused->end() ? nullptr : &known->second;
  }

  bool IsTpu() const { return facts_.chip.platform == Platform::kTpu; }

  std::vector<Cluster> Clusters() {
    const KernelResults* const known = KnownKernels();
    if (known == nullptr) return FindClusters(module_, order_, facts_.chip);
    std::vector<Cluster> clusters = FusedClusters(module_, order_, *known);
    for (const Cluster& cluster : clusters) {
      fused_.insert(cluster.members.begin(), cluster.members.end());
    }
    return clusters;
  }

  void TellOfProduct(const Cluster& cluster) {
    const bool has_product = absl::c_any_of(
        cluster.members, [&](InstructionId id) { return RoleOf(module_, id) == Role::kProduct; });
    if (!has_product) return;
    for (const InstructionId id : cluster.outputs) places_.AddOfProduct(id);
  }

  DeviceKernel& Add(Body body, InstructionId name) {
    for (BodyNode& node : body.nodes) Store(&node);
    places_.Fill(&body);
    kernels_.push_back(KernelOf(module_, body));
    kernels_.back().instruction = name;
    return kernels_.back();
  }

  // With the padding, the rows of its tiles and the width that its array will have.
  void Store(BodyNode* node) const {
    const double width = facts_.loops.WidthOf(node->id);
    node->registers = facts_.stored.Registers(node->id);
    if (places_.IsAtBorder(node->id)) node->low_tiles = facts_.stored.LowTiles(node->id);
    if (IsTpu() && ScatterBehind(module_, node->id) != hlo::kNoId) StoreInRows(node);
    const InstructionId few = few_rows_.Of(node->id);
    if (IsTpu() && few != hlo::kNoId) node->low_tiles = LowTiles(facts_.stored.RowMajor(few));
    node->width = width > 0 ? width : ElementWidth(module_.shape(node->id));
  }

  // As a scatter leaves it.
  void StoreInRows(BodyNode* node) const {
    const layout::Shape rows = facts_.stored.RowMajor(node->id);
    node->registers = Registers(rows);
    node->low_tiles = LowTiles(rows);
  }

  void Add(const Cluster& cluster) {
    const InstructionId name =
        cluster.outputs.empty() ? cluster.members.back() : cluster.outputs[0];
    DeviceKernel& kernel = Add(BodyOf(cluster), name);
    const bool is_lone = cluster.members.size() == 1 && kernel.kind == KernelKind::kLoop &&
                         IsLone(module_, cluster.members[0]);
    if (is_lone) kernel.kind = KernelKind::kLone;
    kernel.is_fused =
        cluster.members.size() > 1 || opcode(cluster.members[0]) == Opcode::kDynamicSlice;
  }

  void AddAlone(InstructionId id) {
    DeviceKernel& kernel = Add(BodyOfOne(module_, id), id);
    if (kernel.kind != KernelKind::kScalar) kernel.kind = KindOfAlone(opcode(id));
  }

  // A gather or scatter works on arrays in the order of their dimensions. An argument, or what a loop hands on, that
  // lies in another one is copied in front, and a result after it.
  void AddRowCopies(InstructionId id) {
    const InstructionId table = module_.operands(id)[0];
    if (!facts_.tables.IsCarried(table)) AddCopyBefore(table);
    if (places_.IsResult(id)) AddCopyAfter(id);
  }

  void AddCopyBefore(InstructionId table) {
    if (IsFromOutside(table))
      AddRowCopy(table, facts_.stored.AtBorder(table), facts_.stored.RowMajor(table));
  }

  void AddCopyAfter(InstructionId table) {
    AddRowCopy(table, facts_.stored.RowMajor(table), facts_.stored.AtBorder(table));
  }

  // Of tables that a loop carries.
  void AddCopiesAround(InstructionId loop) {
    const InstructionId tuple = module_.operands(loop)[0];
    if (opcode(tuple) != Opcode::kTuple) return;
    const auto starts = module_.operands(tuple);
    for (size_t k = 0; k < starts.size(); ++k) {
      if (facts_.tables.Carries(loop, k) && !facts_.tables.IsCarried(starts[k]))
        AddCopyBefore(starts[k]);
    }
    for (const InstructionId id : order_) {
      const bool is_element =
          opcode(id) == Opcode::kGetTupleElement && module_.operands(id)[0] == loop;
      if (is_element && places_.IsResult(id) &&
          facts_.tables.Carries(loop, static_cast<size_t>(hlo::GetTupleIndex(module_, id))))
        AddCopyAfter(id);
    }
  }

  // For the product, whose operand lies as at the border.
  void AddSliceCopy(InstructionId slice) {
    AddRowCopy(slice, facts_.stored.RowMajor(slice), facts_.stored.AtBorder(slice));
  }

  // Images of a few colours lie otherwise at the border of a program than a convolution reads them.
  void AddImageCopy(InstructionId id) {
    const InstructionId images = module_.operands(id)[0];
    if (opcode(images) == Opcode::kParameter && places_.IsAtBorder(images))
      AddRowCopy(images, facts_.stored.AtBorder(images), facts_.stored.Within(images));
  }

  // After views and slices at a computed place.
  bool IsFromOutside(InstructionId id) const {
    while (IsView(opcode(id)) || opcode(id) == Opcode::kDynamicSlice) id = module_.operands(id)[0];
    return places_.IsAtBorder(id) || facts_.loops.Find(id) != nullptr;
  }

  static Access Accessed(const layout::Shape& array, bool is_fast, bool is_written) {
    Access access = AccessTo(array);
    access.is_fast = is_fast;
    access.is_written = is_written;
    return access;
  }

  void AddRowCopy(InstructionId id, const layout::Shape& from, const layout::Shape& to) {
    if (!from.is_array() || from.rank() < 2 || Elements(from) <= kElementsOfRegister) return;
    if (OrderOf(from) == OrderOf(to) || !row_copies_.insert(id).second) return;
    Body body;
    body.AddInput(id, false);
    body.AddOutput(body.AddInput(id, false), false);
    for (BodyNode& node : body.nodes) Store(&node);
    places_.Fill(&body);
    DeviceKernel kernel;
    kernel.instruction = id;
    kernel.kind = KernelKind::kCopy;
    kernel.elements = Elements(to);
    kernel.accesses = {Accessed(from, body.nodes[0].is_fast, false),
                       Accessed(to, body.nodes[1].is_fast, true)};
    TakeForTileCopy(from, to, &kernel);
    kernels_.push_back(std::move(kernel));
  }

  void AddConversion(const ConvertedStack& stack) {
    DeviceKernel kernel;
    kernel.instruction = stack.stack;
    kernel.kind = KernelKind::kLone;
    kernel.elements = Elements(module_.shape(stack.stack));
    const double registers = facts_.stored.Registers(stack.stack);
    for (const bool is_written : {false, true}) {
      const double width = is_written ? stack.width : ElementWidth(module_.shape(stack.stack));
      kernel.accesses.push_back({registers, kernel.elements * width, width, is_written, false});
    }
    const OpcodeWork work = WorkOf(Opcode::kConvert);
    kernel.work[work.work] = work.times * registers;
    if (places_.IsAtBorder(stack.stack)) kernel.low_tiles = facts_.stored.LowTiles(stack.stack);
    kernels_.push_back(std::move(kernel));
  }

  void AddCopy(const LayoutCopy& copy) {
    Body body;
    body.AddInput(copy.from, false);
    body.AddOutput(body.AddInput(copy.to, false), false);
    for (BodyNode& node : body.nodes) Store(&node);
    places_.Fill(&body);
    DeviceKernel kernel;
    kernel.instruction = copy.to;
    kernel.kind = copy.turns_lanes ? KernelKind::kLaneCopy : KernelKind::kTileCopy;
    kernel.elements = Elements(module_.shape(copy.to));
    for (const BodyNode& node : body.nodes) {
      kernel.accesses.push_back(Accessed(module_.shape(node.id), node.is_fast, node.is_output));
      if (copy.turns_lanes && !node.is_fast) kernel.count += copy.tiles;
    }
    if (!copy.turns_lanes) kernel.count = copy.tiles;
    kernels_.push_back(std::move(kernel));
  }

  bool IsFree(const Cluster& cluster) const {
    const auto is_layout = [&](InstructionId id) {
      return IsView(opcode(id)) || opcode(id) == Opcode::kBitcastConvert;
    };
    return absl::c_all_of(cluster.members, is_layout) || IsOfSum(cluster) ||
           absl::c_all_of(cluster.outputs,
                          [&](InstructionId id) { return facts_.loops.IsUnwritten(id); });
  }

  // An all-reduce of fewer bytes than its operand has takes that as it is.
  bool IsOfSum(const Cluster& cluster) const {
    return cluster.members.size() == 1 && summed_.contains(cluster.members[0]) &&
           opcode(cluster.members[0]) == Opcode::kConvert && Narrows(module_, cluster.members[0]);
  }

  Body BodyOf(const Cluster& cluster) const {
    Body body;
    absl::flat_hash_map<InstructionId, int32_t> nodes;
    for (const InstructionId id : cluster.members) {
      absl::InlinedVector<int32_t, 3> operands;
      for (const InstructionId operand : module_.operands(id)) {
        const auto [it, is_new] = nodes.try_emplace(operand, 0);
        if (is_new) it->second = AddInput(operand, &body);
        operands.push_back(it->second);
      }
      nodes[id] = body.Add(id, operands);
    }
    for (const InstructionId id : cluster.outputs) body.AddOutput(nodes[id], false);
    return body;
  }

  // What a loop repeats inside is read as it is before.
  int32_t AddInput(InstructionId id, Body* body) const {
    const InstructionId broadcast = facts_.loops.Broadcast(id);
    if (broadcast == hlo::kNoId) return body->AddInput(id, false);
    return body->Add(broadcast, {body->AddInput(module_.operands(broadcast)[0], false)});
  }

  const hlo::Module& module_;
  const std::vector<InstructionId>& order_;
  const ClusterFacts& facts_;
  Places places_;
  const FewRows few_rows_;
  absl::flat_hash_set<InstructionId> row_copies_;
  absl::flat_hash_set<InstructionId> summed_;  // what all-reduces take
  absl::flat_hash_set<InstructionId> fused_;   // members of kernels that are known
  std::vector<DeviceKernel> kernels_;
};

}  // namespace

std::vector<DeviceKernel> ClusterKernels(const hlo::Module& module,
                                         const std::vector<InstructionId>& order,
                                         const ClusterFacts& facts) {
  return Maker(module, order, facts).Make();
}

}  // namespace tessera::target
