// Idea. Every array of every result is a value of a Program (liveness.h), in the order of
// execution: a new buffer, an alias, or one that is taken over. Computations that an instruction
// runs are walked in the same way, their parameters for nothing, and their own peak is added at
// that instruction. Tested by peak_memory_test.cc.
#include "tessera/projection/cost/memory/peak_memory.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// Which array of a shape, in order of the text, is the first one at a path of tuple elements.
int LeafAt(const layout::Shape& shape, absl::Span<const int64_t> path) {
  if (path.empty() || !shape.is_tuple()) return 0;
  int leaf = 0;
  const auto& elements = shape.tuple_elements();
  const auto at = static_cast<size_t>(path[0]);
  for (size_t e = 0; e < at && e < elements.size(); ++e)
    leaf += static_cast<int>(ArrayLeaves(elements[e]).size());
  return at < elements.size() ? leaf + LeafAt(elements[at], path.subspan(1)) : leaf;
}

// Values of the instructions of one computation: a run of a pool for each.
class Values {
 public:
  explicit Values(uint32_t instructions) : runs_(instructions) {}

  absl::Span<const int> Of(InstructionId id) const {
    return absl::MakeConstSpan(pool_).subspan(runs_[id].begin, runs_[id].size);
  }
  void Set(InstructionId id, absl::Span<const int> values) {
    runs_[id] = {pool_.size(), values.size()};
    pool_.insert(pool_.end(), values.begin(), values.end());
  }

 private:
  struct Run {
    size_t begin = 0, size = 0;
  };
  std::vector<Run> runs_;
  std::vector<int> pool_;
};

class Builder {
 public:
  Builder(const Module& module, const MemoryOptions& options)
      : module_(module), options_(options), starts_(module), values_(module.num_instructions()) {}

  // `arrays`: of that computation, in the order of the values.
  absl::StatusOr<Program> Of(hlo::ComputationId computation, std::vector<ArrayOf>* arrays) {
    named_ = computation;
    arrays_ = arrays;
    TESSERA_ASSIGN_OR_RETURN(Program program, ProgramOf(computation));
    if (IsEntry(computation)) AddDonations(module_.entry(), &program);
    return program;
  }

 private:
  bool IsEntry(hlo::ComputationId computation) const { return computation == module_.entry_id(); }

  // Parameters of a computation that another one runs are free: its caller holds them.
  absl::StatusOr<Program> ProgramOf(hlo::ComputationId computation) {
    Program program;
    const hlo::Computation& body = module_.computation(computation);
    for (InstructionId id : body.parameters) {
      std::vector<int> made;
      const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
      for (const layout::Shape* leaf : leaves) {
        TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOfLeaf(*leaf));
        Name(computation, {id, made.size(), leaves.size()});
        made.push_back(static_cast<int>(program.parameters.size()));
        program.parameters.push_back(IsEntry(computation) ? bytes : 0);
      }
      values_.Set(id, made);
    }
    const int first_step = static_cast<int>(program.parameters.size());
    for (InstructionId id : OrderOf(module_, computation)) {
      if (module_.instruction(id).opcode == Opcode::kParameter) continue;
      TESSERA_RETURN_IF_ERROR(AddSteps(computation, id, first_step, &program));
    }
    const auto outputs = values_.Of(body.root);
    program.outputs.assign(outputs.begin(), outputs.end());
    return program;
  }

  void Name(hlo::ComputationId computation, const ArrayOf& array) {
    if (computation == named_) arrays_->push_back(array);
  }

  // Of the result of an instruction; wide tuples are counted once.
  int LeafOf(InstructionId id, absl::Span<const int64_t> path) {
    const layout::Shape& shape = module_.shape(id);
    if (path.empty() || !shape.is_tuple()) return 0;
    const auto at = static_cast<size_t>(path[0]);
    if (at >= shape.tuple_elements().size()) return LeafAt(shape, path);
    return starts_.StartOf(id, path[0]) + LeafAt(shape.tuple_elements()[at], path.subspan(1));
  }

  // What the header says of the entry's parameters.
  void AddDonations(const hlo::Computation& entry, Program* program) {
    const auto parameter = [&](int64_t number, absl::Span<const int64_t> path) {
      const InstructionId id = entry.parameters[static_cast<size_t>(number)];
      return values_.Of(id)[static_cast<size_t>(LeafOf(id, path))];
    };
    for (const hlo::BufferDonor& donor : module_.header().buffer_donor)
      program->donated.push_back(parameter(donor.parameter_number, donor.parameter_index));
    for (const hlo::AliasEntry& alias : module_.header().input_output_alias) {
      const int leaf = LeafOf(entry.root, alias.output_index);
      program->aliased.push_back({program->outputs[static_cast<size_t>(leaf)],
                                  parameter(alias.parameter_number, alias.parameter_index)});
    }
  }

  bool IsFused(InstructionId id) const { return id < options_.fused.size() && options_.fused[id]; }

  absl::Status AddSteps(hlo::ComputationId computation, InstructionId id, int first_step,
                        Program* program) {
    std::vector<int> gathered, made;
    const absl::Span<const int> operands = OperandValues(id, &gathered);
    if (IsFused(id) && PassOn(operands, &made)) {
      values_.Set(id, made);
      return absl::OkStatus();
    }
    TESSERA_ASSIGN_OR_RETURN(int64_t inner, InnerPeak(id));
    if (const auto own = options_.scratch.find(id); own != options_.scratch.end()) {
      if (!AddFits(inner, own->second, &inner)) return OverflowError("scratch");
    }
    const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
    const std::vector<LeafPlace> places = PlacesOf(module_, id, leaves.size(), &starts_);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Step step;
      TESSERA_ASSIGN_OR_RETURN(step.bytes, BytesOfLeaf(*leaves[leaf]));
      step.kind = places[leaf].kind;
      step.operands = OperandsOfLeaf(places, leaf, operands);
      step.inner_peak = std::exchange(inner, 0);
      made.push_back(first_step + static_cast<int>(program->order.size()));
      Name(computation, {id, leaf, leaves.size()});
      program->order.push_back(std::move(step));
    }
    values_.Set(id, made);
    return absl::OkStatus();
  }

  // An element of a tuple has that for its one operand, whose values are looked at where they are:
  // copied for each element they would be quadratic. Others may run computations, whose values move
  // the pool, and get a copy.
  absl::Span<const int> OperandValues(InstructionId id, std::vector<int>* gathered) const {
    if (module_.instruction(id).opcode == Opcode::kGetTupleElement)
      return values_.Of(module_.operands(id)[0]);
    for (InstructionId operand : module_.operands(id)) {
      const auto values = values_.Of(operand);
      gathered->insert(gathered->end(), values.begin(), values.end());
    }
    return *gathered;
  }

  // What array `leaf` of a result needs, first of all what it stands on. The arrays of a result
  // come one after another; what no array stands on is needed until the last of them is there, and
  // is named there alone: naming it at each would be quadratic.
  static std::vector<int> OperandsOfLeaf(const std::vector<LeafPlace>& places, size_t leaf,
                                         absl::Span<const int> operands) {
    const auto source_of = [&](const LeafPlace& place) -> size_t {
      const bool stands = place.kind == BufferKind::kAlias || place.kind == BufferKind::kInPlace;
      return stands ? static_cast<size_t>(place.source) : operands.size();
    };
    std::vector<int> out;
    const size_t source = source_of(places[leaf]);
    if (source < operands.size()) out.push_back(operands[source]);
    if (leaf + 1 < places.size() || (!out.empty() && places[leaf].kind == BufferKind::kAlias))
      return out;
    std::vector<bool> is_source(operands.size() + 1);
    for (const LeafPlace& place : places)
      is_source[std::min(source_of(place), operands.size())] = true;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!is_source[i]) out.push_back(operands[i]);
    }
    return out;
  }

  // The readers of a fused instruction read its operands. Long lists of them get a buffer after
  // all.
  static bool PassOn(absl::Span<const int> operands, std::vector<int>* values) {
    constexpr size_t kMaxOperands = 16;
    for (int v : operands) {
      if (std::find(values->begin(), values->end(), v) == values->end()) values->push_back(v);
      if (values->size() > kMaxOperands) {
        values->clear();
        return false;
      }
    }
    return true;
  }

  // Temporaries of the computations that the instruction runs; none inside fusions and reducers.
  absl::StatusOr<int64_t> InnerPeak(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    const bool runs = opcode == Opcode::kWhile || opcode == Opcode::kCall ||
                      opcode == Opcode::kConditional || opcode == Opcode::kAsyncStart;
    int64_t peak = 0;
    if (!runs) return peak;
    for (hlo::ComputationId called : module_.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const int64_t called_peak, PeakOf(called));
      peak = std::max(peak, called_peak);
    }
    if (opcode == Opcode::kWhile) return peak;
    TESSERA_ASSIGN_OR_RETURN(const int64_t results, BytesOf(module_.shape(id), CostMode::kExact));
    return std::max<int64_t>(peak - results, 0);  // the callee's result is the caller's
  }

  // However many instructions run the computation, it is walked once.
  absl::StatusOr<int64_t> PeakOf(hlo::ComputationId called) {
    if (const auto known = peaks_.find(called); known != peaks_.end()) return known->second;
    TESSERA_ASSIGN_OR_RETURN(const Program inner, ProgramOf(called));
    TESSERA_ASSIGN_OR_RETURN(const MemoryProfile profile, ProfileOf(inner, options_.liveness));
    return peaks_[called] = profile.peak;
  }

  static absl::StatusOr<int64_t> BytesOfLeaf(const layout::Shape& shape) {
    return BytesOf(shape, CostMode::kExact);
  }

  const Module& module_;
  const MemoryOptions& options_;
  LeafStarts starts_;
  Values values_;
  hlo::ComputationId named_ = 0;                            // whose arrays are wanted
  std::vector<ArrayOf>* arrays_ = nullptr;                  // of it
  absl::flat_hash_map<hlo::ComputationId, int64_t> peaks_;  // of computations that were walked
};

}  // namespace

std::string NameOf(const Module& module, const ArrayOf& array) {
  const absl::string_view name = module.instruction(array.instruction).name;
  return array.leaves == 1 ? std::string(name) : absl::StrCat(name, "{", array.leaf, "}");
}

absl::StatusOr<MemoryReport> PeakMemory(const Module& module, const MemoryOptions& options) {
  return PeakMemoryOf(module, module.entry_id(), options);
}

absl::StatusOr<MemoryReport> PeakMemoryOf(const Module& module, hlo::ComputationId computation,
                                          const MemoryOptions& options) {
  MemoryReport report;
  Builder builder(module, options);
  TESSERA_ASSIGN_OR_RETURN(const Program program, builder.Of(computation, &report.values));
  TESSERA_ASSIGN_OR_RETURN(report.profile, ProfileOf(program, options.liveness));
  return report;
}

}  // namespace tessera::projection
