#include "tessera/target/kernels/body.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/kernels/products/factors.h"
#include "tessera/target/kernels/products/products.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/kernels/work_of_opcode.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr double kFewElements = 1;
constexpr double kKernelsOfSlice = 4;  // of such a loop: place, bounds, check, choice

bool IsSlice(Opcode opcode) {
  return opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice || opcode == Opcode::kGather;
}

bool PassesOn(Opcode opcode) {
  return opcode == Opcode::kBitcast || opcode == Opcode::kReshape || opcode == Opcode::kTuple ||
         opcode == Opcode::kGetTupleElement || opcode == Opcode::kOptBarrier;
}

// A collective, or the fusion that begins or ends one: no estimate of the compiler counts it.
bool MovesBetweenDevices(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kCustomCall)
    return RoleOf(module, id) == Role::kCollective;
  return absl::StartsWith(hlo::GetCustomCallTarget(module, id), "AsyncCollective");
}

// Slices of a gather or scatter, elements that a sort orders together; else 0.
double CountOf(const hlo::Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  const auto operands = module.operands(id);
  if (opcode == Opcode::kSort && !operands.empty()) {
    const layout::Shape& keys = module.shape(operands[0]);
    const int64_t dim = hlo::GetDimension(module, id).value_or(0);
    return dim >= 0 && dim < keys.rank() ? static_cast<double>(keys.dim(dim)) : 0;
  }
  if ((opcode != Opcode::kGather && opcode != Opcode::kScatter) || operands.size() < 2) return 0;
  const layout::Shape& indices = module.shape(operands[operands.size() / 2]);
  const int64_t dim = opcode == Opcode::kGather
                          ? hlo::GetGatherDimensions(module, id).index_vector_dim
                          : hlo::GetScatterDimensions(module, id).index_vector_dim;
  const bool is_vector = dim >= 0 && dim < indices.rank();
  return Elements(indices) / std::max(1.0, is_vector ? static_cast<double>(indices.dim(dim)) : 1);
}

// Slices of a scatter that begin anywhere in a dimension which they have, too: updates of caches at a place for each
// sequence. A loop runs them one by one.
bool PlacesSlices(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kScatter) return false;
  const hlo::ScatterDimensions dims = hlo::GetScatterDimensions(module, id);
  return absl::c_any_of(dims.scatter_dims_to_operand_dims, [&](int64_t d) {
    return !absl::c_linear_search(dims.inserted_window_dims, d);
  });
}

// One operation for each register: not what only changes a type, and not what 16 bits take half of.
bool IsArithmetic(const OpcodeWork& work, const layout::Shape& array) {
  return work.work == kSimple && work.times == 1 && ElementWidth(array) == 4;
}

constexpr int32_t kNoNode = -1;

class Reader {
 public:
  Reader(const hlo::Module& module, const Body& body)
      : module_(module),
        body_(body),
        nodes_(body.nodes),
        whole_(body.nodes.size(), 0),
        sliced_(body.nodes.size(), 0),
        in_place_(body.nodes.size(), false) {}

  DeviceKernel Read() {
    for (size_t k = nodes_.size(); k-- > 0;) Demand(static_cast<int32_t>(k));
    for (size_t k = 0; k < nodes_.size(); ++k) Count(static_cast<int32_t>(k));
    kernel_.kind = KindOf();
    CountLowTiles();
    return std::move(kernel_);
  }

 private:
  const layout::Shape& shape(int32_t node) const {
    return FirstArray(module_.shape(nodes_[node].id));
  }
  Opcode opcode(int32_t node) const { return module_.instruction(nodes_[node].id).opcode; }
  double RegistersOf(int32_t node) const {
    return nodes_[node].registers > 0 ? nodes_[node].registers : Registers(shape(node));
  }
  // The part of its elements that is needed.
  double Needed(int32_t node) const { return std::min(1.0, std::max(whole_[node], sliced_[node])); }

  // What is written of the first operand; kNoNode where that is not changed in place.
  int32_t UpdateOf(int32_t node) const {
    const auto& operands = nodes_[node].operands;
    if (!in_place_[node]) return kNoNode;
    if (opcode(node) == Opcode::kDynamicUpdateSlice && operands.size() > 1) return operands[1];
    return opcode(node) == Opcode::kScatter && operands.size() == 3 ? operands[2] : kNoNode;
  }

  bool UpdatesInPlace(int32_t node) const { return UpdateOf(node) != kNoNode; }

  void Demand(int32_t node) {
    const BodyNode& n = nodes_[node];
    if (n.is_output) in_place_[node] = true;
    if (n.is_input || MovesBetweenDevices(module_, nodes_[node].id)) return;
    if (UpdatesInPlace(node)) return DemandOfUpdate(n.operands);
    if (in_place_[node] && PassesOn(opcode(node)) && !n.is_output && !n.operands.empty()) {
      in_place_[n.operands[0]] = true;
    } else if (in_place_[node]) {
      whole_[node] = 1;
    }
    DemandOperands(node, Needed(node));
  }

  void DemandOperands(int32_t node, double needed) {
    const auto& operands = nodes_[node].operands;
    for (size_t k = 0; k < operands.size(); ++k) {
      const int32_t operand = operands[k];
      if (k == 0 && IsSlice(opcode(node))) {
        sliced_[operand] +=
            needed * Elements(shape(node)) / std::max(1.0, Elements(shape(operand)));
      } else {
        whole_[operand] = std::max(whole_[operand], needed);
      }
    }
  }

  // Nothing of what is updated is read.
  void DemandOfUpdate(absl::Span<const int32_t> operands) {
    in_place_[operands[0]] = true;
    for (const int32_t operand : operands.subspan(1)) whole_[operand] = 1;
  }

  void Count(int32_t node) {
    const BodyNode& n = nodes_[node];
    const double needed = Needed(node);
    if (n.is_input) {
      if (needed > 0) Touch(node, needed, false);
      return;
    }
    if (MovesBetweenDevices(module_, nodes_[node].id)) return;
    if (UpdatesInPlace(node)) {
      CountSlices(node);
      const double update = Elements(shape(UpdateOf(node)));
      return Touch(node, std::min(1.0, update / std::max(1.0, Elements(shape(node)))), true);
    }
    if (needed == 0) return;
    if (n.is_output) Touch(node, 1, true);
    Compute(node, needed);
  }

  void CountSlices(int32_t node) {
    const double count = CountOf(module_, nodes_[node].id);
    kernel_.count = std::max(kernel_.count, count);
    if (PlacesSlices(module_, nodes_[node].id)) kernel_.steps = kKernelsOfSlice * count;
  }

  // Reads or writes a part of an array in memory.
  void Touch(int32_t node, double part, bool is_written) {
    const layout::Shape& array = shape(node);
    kernel_.elements = std::max(kernel_.elements, Elements(array) * part);
    const BodyNode& n = nodes_[node];
    Access access = AccessTo(array, part);
    access.is_written = is_written;
    access.is_fast = n.is_fast;
    access.registers = RegistersOf(node) * part;
    if (n.width > 0) {
      access.bytes *= n.width / access.width;
      access.width = n.width;
    }
    kernel_.accesses.push_back(access);
  }

  void Compute(int32_t node, double needed) {
    const Opcode op = opcode(node);
    const InstructionId id = nodes_[node].id;
    CountSlices(node);
    if (auto product = ProductOf(module_, id)) {
      product->factors = FactorsOf(module_, body_, node);
      kernel_.products.push_back(*product);
    } else if (IsReduction(op) && !nodes_[node].operands.empty()) {
      Reduce(node, needed);
    } else {
      const OpcodeWork work = WorkOf(op);
      kernel_.work[work.work] += work.times * needed * RegistersOf(node);
      if (IsArithmetic(work, shape(node))) kernel_.work[kOperations] += needed * RegistersOf(node);
    }
  }

  double LowTilesOf(int32_t node) const {
    return nodes_[node].registers > 0 ? nodes_[node].low_tiles : LowTiles(shape(node));
  }

  // Of what it writes, and of what a reduction takes in.
  void CountLowTiles() {
    if (MovesToUpdate()) return;
    double all = 0;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      const int32_t node = static_cast<int32_t>(k);
      const bool is_read = nodes_[k].is_input && kernel_.kind == KernelKind::kReduce;
      const double tiles = LowTilesOf(node) * Needed(node);
      if (is_read || nodes_[k].is_output) kernel_.low_tiles = std::max(kernel_.low_tiles, tiles);
      if (nodes_[k].is_output) all += tiles;
    }
    kernel_.other_low_tiles = std::max(0.0, all - kernel_.low_tiles);
  }

  // An update moves what it takes without a walk over it, also where that is a dynamic slice.
  bool MovesToUpdate() const {
    bool updates = false;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      const int32_t node = static_cast<int32_t>(k);
      const Opcode op = opcode(node);
      updates |= UpdatesInPlace(node);
      if (nodes_[k].is_input || Needed(node) == 0 || op == Opcode::kDynamicSlice) continue;
      const OpcodeWork work = WorkOf(op);
      if (IsReduction(op) || (work.times > 0 && work.work != kMoved)) return false;
    }
    return updates;
  }

  void Reduce(int32_t node, double needed) {
    const int32_t input = nodes_[node].operands[0];
    const double taken = needed * RegistersOf(input);
    if (opcode(node) == Opcode::kReduceWindow) {
      kernel_.work[kWindowed] += taken;
      return;
    }
    kernel_.work[kReduced] += taken;
    const auto dims = hlo::GetInts(module_, nodes_[node].id, hlo::AttributeName::kDimensions);
    const layout::Shape& array = shape(input);
    if (!dims.has_value() || array.rank() < 1) return;
    for (int64_t place = 0; place < std::min<int64_t>(2, array.rank()); ++place) {
      const int64_t dim = array.has_layout() && array.layout().rank() == array.rank()
                              ? array.layout().minor_to_major[place]
                              : array.rank() - 1 - place;
      if (absl::c_linear_search(*dims, dim)) kernel_.work[kAcross] += taken;
    }
  }

  KernelKind KindOf() const {
    if (kernel_.elements <= kFewElements) return KernelKind::kScalar;
    const bool has_window =
        absl::c_any_of(kernel_.products, [](const Product& p) { return p.is_window; });
    if (has_window) return KernelKind::kConvolution;
    if (!kernel_.products.empty()) return KernelKind::kDot;
    bool moves_only = true, reduces = false;
    int computing = 0;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      const int32_t node = static_cast<int32_t>(k);
      if (nodes_[k].is_input || Needed(node) == 0 || PassesOn(opcode(node))) continue;
      ++computing;
      reduces |= IsReduction(opcode(node));
      moves_only &= WorkOf(opcode(node)).work == kMoved && WorkOf(opcode(node)).times > 0;
    }
    if (reduces) return KernelKind::kReduce;
    if (computing > 0 && moves_only) return KernelKind::kCopy;
    return KernelKind::kLoop;
  }

  const hlo::Module& module_;
  const Body& body_;
  const std::vector<BodyNode>& nodes_;
  std::vector<double> whole_, sliced_;
  std::vector<bool> in_place_;  // what lies where an output lies
  DeviceKernel kernel_;
};

}  // namespace

Access AccessTo(const layout::Shape& array, double part) {
  Access access;
  access.registers = Registers(array) * part;
  access.width = ElementWidth(array);
  access.bytes = Elements(array) * part * access.width;
  return access;
}

DeviceKernel KernelOf(const hlo::Module& module, const Body& body) {
  return Reader(module, body).Read();
}

}  // namespace tessera::target
