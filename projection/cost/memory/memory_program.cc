#include "tessera/projection/cost/memory/memory_program.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/memory/aliased_outputs.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// What array `leaf` of a result needs, first of all what it stands on. The arrays of a result come
// one after another. What no array stands on is needed until the last of them is there, and is
// named there alone: naming it at each would be quadratic. What an instruction hands on that runs
// computations (`runs`) is needed until then, too.
std::vector<int> OperandsOfLeaf(const std::vector<LeafPlace>& places, size_t leaf, bool runs,
                                absl::Span<const int> operands) {
  const auto source_of = [&](const LeafPlace& place) -> size_t {
    const bool stands = place.kind == BufferKind::kAlias || place.kind == BufferKind::kInPlace;
    return stands ? static_cast<size_t>(place.source) : operands.size();
  };
  std::vector<int> out;
  const size_t source = source_of(places[leaf]);
  if (source < operands.size()) out.push_back(operands[source]);
  const bool is_name = !runs && !out.empty() && places[leaf].kind == BufferKind::kAlias;
  if (leaf + 1 < places.size() || is_name) return out;
  std::vector<bool> is_named(operands.size() + 1);
  for (const LeafPlace& place : places) {
    if (runs && place.kind == BufferKind::kAlias) continue;
    is_named[std::min(source_of(place), operands.size())] = true;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_named[i]) out.push_back(operands[i]);
  }
  return out;
}

// A value whose readers have its cells in another order than they lie stands as the complement of its
// number.
int InAnotherOrder(int v) { return std::min(v, ~v); }
int NumberOf(int v) { return std::max(v, ~v); }

// The readers of a fused instruction read its operands, `in_order` or not. Long lists of them get a
// buffer after all.
bool PassOn(absl::Span<const int> operands, bool in_order, std::vector<int>* values) {
  constexpr size_t kMaxOperands = 16;
  for (int v : operands) {
    if (!in_order) v = InAnotherOrder(v);
    if (std::find(values->begin(), values->end(), v) == values->end()) values->push_back(v);
    if (values->size() > kMaxOperands) {
      values->clear();
      return false;
    }
  }
  return true;
}

// Cell by cell.
bool ReadsInOrder(BufferKind kind) {
  return kind == BufferKind::kElementwise || kind == BufferKind::kAlias;
}

// XLA's back ends lay the result of an all-gather out with the gathered dimension first; after that,
// a schedule has what reads it.
bool LiesInAnotherOrder(const hlo::Module& module, InstructionId id) {
  const layout::Shape& shape = module.shape(id);
  if (module.instruction(id).opcode != Opcode::kAllGather || !shape.is_array()) return false;
  const auto dims = hlo::GetInts(module, id, hlo::AttributeName::kDimensions);
  if (module.header().is_scheduled || !dims.has_value() || dims->empty()) return false;
  return absl::c_any_of(shape.dims().first(static_cast<size_t>(dims->front())),
                        [](int64_t size) { return size > 1; });
}

// What would stand where its operand stands is made anew if that has another order.
void SetOperands(std::vector<int> operands, Step* step) {
  const bool stands = step->kind == BufferKind::kAlias || step->kind == BufferKind::kInPlace;
  if (stands && !operands.empty() && operands[0] < 0) step->kind = BufferKind::kNew;
  const auto end =
      std::stable_partition(operands.begin(), operands.end(), [](int v) { return v >= 0; });
  step->reordered = static_cast<size_t>(operands.end() - end);
  for (int& v : operands) v = NumberOf(v);
  step->operands = std::move(operands);
}

bool IsFused(const MemoryOptions& options, InstructionId id) {
  return id < options.fused.size() && options.fused[id];
}

}  // namespace

std::vector<Callee> CalleesOf(const hlo::Module& module, InstructionId id) {
  const auto called = module.called(id);
  switch (module.instruction(id).opcode) {
    case Opcode::kWhile:
      return {{called[0], Role::kLoopBody}, {called[1], Role::kTest}};
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kAsyncStart:
      break;
    default:
      return {};
  }
  std::vector<Callee> callees;
  for (const hlo::ComputationId computation : called)
    callees.push_back({computation, Role::kCallee});
  return callees;
}

MemoryPrograms::MemoryPrograms(const hlo::Module& module, const MemoryOptions& options)
    : module_(module),
      options_(options),
      starts_(module),
      order_(module),
      values_(module.num_instructions()) {}

absl::StatusOr<Program> MemoryPrograms::Of(hlo::ComputationId id, Role role,
                                           std::vector<ArrayOf>* arrays) {
  Draft draft{{}, arrays, 0};
  const hlo::Computation& computation = module_.computation(id);
  TESSERA_RETURN_IF_ERROR(AddParameters(computation, &draft));
  for (const InstructionId instruction : order_.Of(id)) {
    if (module_.instruction(instruction).opcode == Opcode::kParameter) continue;
    TESSERA_RETURN_IF_ERROR(AddSteps(instruction, &draft));
  }
  TESSERA_RETURN_IF_ERROR(AddOutputs(computation, role, &draft));
  return std::move(draft.program);
}

absl::Status MemoryPrograms::AddParameters(const hlo::Computation& computation, Draft* draft) {
  for (const InstructionId id : computation.parameters) {
    std::vector<int> made;
    const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
    for (const layout::Shape* leaf : leaves) {
      TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(*leaf, CostMode::kExact));
      draft->arrays->push_back({id, made.size(), leaves.size()});
      made.push_back(static_cast<int>(draft->program.parameters.size()));
      draft->program.parameters.push_back(bytes);
    }
    values_.Set(id, made);
  }
  draft->first_step = static_cast<int>(draft->program.parameters.size());
  return absl::OkStatus();
}

absl::Status MemoryPrograms::AddSteps(InstructionId id, Draft* draft) {
  std::vector<int> gathered, made;
  const absl::Span<const int> operands = OperandValues(id, &gathered);
  if (IsFused(options_, id) && PassOn(operands, ReadsInOrder(KindOf(module_, id)), &made)) {
    values_.Set(id, made);
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const int64_t meanwhile, WhileItRuns(id));
  const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
  const std::vector<LeafPlace> places = PlacesOf(module_, id, leaves.size(), &starts_);
  const bool runs = !CalleesOf(module_, id).empty();
  std::vector<Step>& order = draft->program.order;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Step step;
    TESSERA_ASSIGN_OR_RETURN(step.bytes, BytesOfStep(id, *leaves[leaf]));
    step.kind = places[leaf].kind;
    SetOperands(OperandsOfLeaf(places, leaf, runs, operands), &step);
    made.push_back(draft->first_step + static_cast<int>(order.size()));
    draft->arrays->push_back({id, leaf, leaves.size()});
    order.push_back(std::move(step));
  }
  // An instruction that makes no array, such as an outfeed, reads all the same.
  if (leaves.empty() && (!operands.empty() || meanwhile > 0)) {
    draft->arrays->push_back({id, 0, 1});
    SetOperands({operands.begin(), operands.end()}, &order.emplace_back());
  }
  if (meanwhile > 0) order.back().inner_peak = meanwhile;
  if (LiesInAnotherOrder(module_, id)) absl::c_transform(made, made.begin(), InAnotherOrder);
  values_.Set(id, made);
  return absl::OkStatus();
}

absl::Status MemoryPrograms::AddOutputs(const hlo::Computation& computation, Role role,
                                        Draft* draft) {
  Program& program = draft->program;
  const auto outputs = values_.Of(computation.root);
  absl::c_transform(outputs, std::back_inserter(program.outputs), NumberOf);
  program.parameters_are_callers = role != Role::kEntry;
  program.outputs_are_callers = role == Role::kCallee;
  std::vector<std::pair<int, int>> ends;  // in parameters
  if (role == Role::kEntry) {
    TESSERA_ASSIGN_OR_RETURN(ends, EntryAliases(module_));
  } else if (role == Role::kLoopBody && outputs.size() == program.parameters.size()) {
    for (int k = 0; k < static_cast<int>(outputs.size()); ++k) ends.emplace_back(k, k);
  }
  for (const int number : AliasOutputs(ends, &program)) {
    draft->arrays->push_back({computation.root, static_cast<size_t>(number), outputs.size()});
  }
  return absl::OkStatus();
}

// Constants lie apart, and count once.
absl::StatusOr<int64_t> MemoryPrograms::BytesOfStep(InstructionId id, const layout::Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(array, CostMode::kExact));
  if (module_.instruction(id).opcode != Opcode::kConstant) return bytes;
  const bool counts = array.rank() > 0 && counted_.insert(id).second;
  if (counts && !AddFits(constants_, bytes, &constants_)) return OverflowError("constants");
  return 0;
}

// An element of a tuple has that for its one operand, whose values are looked at where they are:
// copied for each element they would be quadratic. Others may run computations, whose values move
// the pool, and get a copy.
absl::Span<const int> MemoryPrograms::OperandValues(InstructionId id,
                                                    std::vector<int>* gathered) const {
  if (module_.instruction(id).opcode == Opcode::kGetTupleElement)
    return values_.Of(module_.operands(id)[0]);
  for (const InstructionId operand : module_.operands(id)) {
    const auto values = values_.Of(operand);
    gathered->insert(gathered->end(), values.begin(), values.end());
  }
  return *gathered;
}

// Bytes that the instruction takes while it runs: what its computations make.
absl::StatusOr<int64_t> MemoryPrograms::WhileItRuns(InstructionId id) {
  int64_t bytes = 0;
  for (const Callee& callee : CalleesOf(module_, id)) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t peak, PeakOf(callee));
    bytes = std::max(bytes, peak);
  }
  return bytes;
}

absl::StatusOr<int64_t> MemoryPrograms::PeakOf(const Callee& callee) {
  const auto key = std::make_pair(callee.computation, callee.role);
  if (const auto known = peaks_.find(key); known != peaks_.end()) return known->second;
  std::vector<ArrayOf> arrays;
  TESSERA_ASSIGN_OR_RETURN(const Program inner, Of(callee.computation, callee.role, &arrays));
  TESSERA_ASSIGN_OR_RETURN(const MemoryProfile profile, ProfileOf(inner, options_.liveness));
  return peaks_[key] = profile.peak;
}

}  // namespace tessera::projection
