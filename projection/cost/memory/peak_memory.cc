// Idea. Every array of every result is a value of a Program (liveness.h), in the order of
// execution: a new buffer, an alias, or one that is taken over. Computations that an instruction
// runs are walked in the same way, their parameters for nothing, and their own peak is added at
// that instruction. Tested by peak_memory_test.cc.
#include "tessera/projection/cost/memory/peak_memory.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/core/checked.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/signatures/signature_of.h"
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

class Builder {
 public:
  Builder(const Module& module, const MemoryOptions& options, MemoryReport* report)
      : module_(module), options_(options), report_(report), starts_(module) {}

  // `free_parameters`: of a computation whose caller holds them.
  absl::StatusOr<Program> ProgramOf(hlo::ComputationId computation, bool free_parameters) {
    Program program;
    Values values;
    const hlo::Computation& body = module_.computation(computation);
    for (InstructionId id : body.parameters) {
      const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const std::string name = NameOf(id, leaf, leaves.size());
        TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOfLeaf(id, leaf, *leaves[leaf], name));
        values[id].push_back(static_cast<int>(program.parameters.size()));
        program.parameters.push_back({name, free_parameters ? 0 : bytes});
      }
    }
    const int first_step = static_cast<int>(program.parameters.size());
    for (InstructionId id : OrderOf(module_, computation)) {
      if (module_.instruction(id).opcode == Opcode::kParameter) continue;
      TESSERA_RETURN_IF_ERROR(AddSteps(id, first_step, &values, &program));
    }
    program.outputs = values[body.root];
    if (!free_parameters) AddDonations(body, values, &program);
    return program;
  }

  int64_t PaddingOf(const std::string& value) const {
    const auto found = padding_.find(value);
    return found == padding_.end() ? 0 : found->second;
  }

 private:
  using Values = absl::flat_hash_map<InstructionId, std::vector<int>>;

  // Of the result of an instruction; wide tuples are counted once.
  int LeafOf(InstructionId id, absl::Span<const int64_t> path) {
    const layout::Shape& shape = module_.shape(id);
    if (path.empty() || !shape.is_tuple()) return 0;
    const auto at = static_cast<size_t>(path[0]);
    if (at >= shape.tuple_elements().size()) return LeafAt(shape, path);
    return starts_.StartOf(id, path[0]) + LeafAt(shape.tuple_elements()[at], path.subspan(1));
  }

  // What the header and the user say of the entry's parameters.
  void AddDonations(const hlo::Computation& entry, const Values& values, Program* program) {
    const auto parameter = [&](int64_t number, absl::Span<const int64_t> path) {
      const InstructionId id = entry.parameters[static_cast<size_t>(number)];
      return values.at(id)[static_cast<size_t>(LeafOf(id, path))];
    };
    const absl::flat_hash_set<int64_t> donated(options_.donated.begin(), options_.donated.end());
    for (InstructionId id : entry.parameters) {
      if (donated.contains(module_.instruction(id).parameter_number))
        program->donated.insert(program->donated.end(), values.at(id).begin(), values.at(id).end());
    }
    for (const hlo::BufferDonor& donor : module_.header().buffer_donor)
      program->donated.push_back(parameter(donor.parameter_number, donor.parameter_index));
    for (const hlo::AliasEntry& alias : module_.header().input_output_alias) {
      const int leaf = LeafOf(entry.root, alias.output_index);
      program->aliased.push_back({program->outputs[static_cast<size_t>(leaf)],
                                  parameter(alias.parameter_number, alias.parameter_index)});
    }
  }

  absl::Status AddSteps(InstructionId id, int first_step, Values* values, Program* program) {
    std::vector<int> operands;
    for (InstructionId operand : module_.operands(id))
      operands.insert(operands.end(), (*values)[operand].begin(), (*values)[operand].end());
    if (options_.fused.contains(id) && PassOn(operands, &(*values)[id])) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(int64_t inner, InnerPeak(id));
    if (const auto own = options_.scratch.find(id); own != options_.scratch.end()) {
      if (__builtin_add_overflow(inner, own->second, &inner)) return OverflowError("scratch");
    }
    Checked touched = 0;
    std::vector<int> made;
    const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_.shape(id));
    const std::vector<LeafPlace> places = PlacesOf(module_, id, &starts_);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Step step;
      step.name = NameOf(id, leaf, leaves.size());
      TESSERA_ASSIGN_OR_RETURN(step.bytes, BytesOfLeaf(id, leaf, *leaves[leaf], step.name));
      step.kind = places[leaf].kind;
      step.operands = OperandsOfLeaf(places, leaf, operands);
      step.inner_peak = std::exchange(inner, 0);
      touched += step.bytes;
      made.push_back(first_step + static_cast<int>(program->order.size()));
      program->order.push_back(std::move(step));
    }
    for (int v : operands)
      touched += v < first_step ? program->parameters[static_cast<size_t>(v)].second
                                : program->order[static_cast<size_t>(v - first_step)].bytes;
    if (!touched.ok()) return OverflowError("the bytes of an instruction");
    if (KindOf(module_, id) != BufferKind::kAlias)
      report_->lower_bound = std::max(report_->lower_bound, touched.value());
    (*values)[id] = std::move(made);
    return absl::OkStatus();
  }

  // What array `leaf` of a result needs, first of all what it stands on. The arrays of a result
  // come one after another; what no array stands on is needed until the last of them is there, and
  // is named there alone: naming it at each would be quadratic.
  static std::vector<int> OperandsOfLeaf(const std::vector<LeafPlace>& places, size_t leaf,
                                         const std::vector<int>& operands) {
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
  static bool PassOn(const std::vector<int>& operands, std::vector<int>* values) {
    constexpr size_t kMaxOperands = 16;
    for (int v : operands) {
      if (std::find(values->begin(), values->end(), v) == values->end()) values->push_back(v);
    }
    if (values->size() <= kMaxOperands) return true;
    values->clear();
    return false;
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
    TESSERA_ASSIGN_OR_RETURN(const Program inner, ProgramOf(called, true));
    TESSERA_ASSIGN_OR_RETURN(const MemoryProfile profile, ProfileOf(inner, options_.liveness));
    return peaks_[called] = profile.peak;
  }

  absl::StatusOr<int64_t> BytesOfLeaf(InstructionId id, size_t leaf, layout::Shape shape,
                                      const std::string& name) {
    const int64_t whole_cells = shape.NumElements().value_or(0);
    if (options_.grid != nullptr) {
      const sharding::TensorSharding* placed = options_.sharding_of(id, static_cast<int>(leaf));
      if (placed == nullptr || placed->rank() != shape.rank()) {
        report_->whole.push_back(name);
      } else {
        TESSERA_ASSIGN_OR_RETURN(const ZPoint tile,
                                 options_.grid->TileShape(ZPoint(shape.dims()), *placed));
        for (int d = 0; d < tile.rank(); ++d) shape.set_dim(d, tile[d]);
      }
    }
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(shape, CostMode::kExact));
    bytes = CeilDiv(bytes, options_.alignment) * options_.alignment;
    const Checked real =
        Checked(shape.NumElements().value_or(whole_cells)) * layout::BitWidth(shape.element_type());
    if (!real.ok()) return OverflowError("the bytes of an array");
    const bool in_entry = module_.instruction(id).computation == module_.entry_id();
    if (in_entry) padding_[name] = bytes - CeilDiv(real.value(), 8);
    return bytes;
  }

  std::string NameOf(InstructionId id, size_t leaf, size_t leaves) const {
    const absl::string_view name = module_.instruction(id).name;
    return leaves == 1 ? std::string(name) : absl::StrCat(name, "{", leaf, "}");
  }

  const Module& module_;
  const MemoryOptions& options_;
  MemoryReport* report_;
  LeafStarts starts_;
  absl::flat_hash_map<std::string, int64_t> padding_;       // of each value of the entry
  absl::flat_hash_map<hlo::ComputationId, int64_t> peaks_;  // of computations that were walked
};

}  // namespace

absl::StatusOr<MemoryReport> PeakMemory(const Module& module, const MemoryOptions& options) {
  MemoryReport report;
  Builder builder(module, options, &report);
  TESSERA_ASSIGN_OR_RETURN(const Program program, builder.ProgramOf(module.entry_id(), false));
  TESSERA_ASSIGN_OR_RETURN(report.profile, ProfileOf(program, options.liveness));
  for (const Buffer& b : report.profile.buffers)
    report.padding.push_back(builder.PaddingOf(b.name));
  if (report.profile.peak_at < 0) return report;
  report.peak_at = program.order[static_cast<size_t>(report.profile.peak_at)].name;
  for (const Buffer& b : report.profile.buffers) {
    if (b.first <= report.profile.peak_at && report.profile.peak_at <= b.last)
      report.at_peak.push_back({b.name, b.bytes, builder.PaddingOf(b.name)});
  }
  std::stable_sort(report.at_peak.begin(), report.at_peak.end(),
                   [](const BufferAtPeak& a, const BufferAtPeak& b) { return a.bytes > b.bytes; });
  return report;
}

}  // namespace tessera::projection
