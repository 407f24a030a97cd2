#include "tessera/sharding/partition/emit/emitter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/error_at.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/emit/entry.h"
#include "tessera/sharding/partition/emit/expander.h"
#include "tessera/sharding/partition/emit/kept_computations.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

using hlo::InstructionId;

// The number at the end of a name, after its last dot; 0 without one, or with too many digits.
int64_t NumberOf(absl::string_view name) {
  constexpr size_t kMostDigits = 17;
  const char *const begin = name.data(), *const end = begin + name.size();
  const char* dot = end;
  while (dot != begin && absl::ascii_isdigit(dot[-1])) --dot;
  if (dot == begin || dot[-1] != '.' || end - dot > static_cast<ptrdiff_t>(kMostDigits)) return 0;
  int64_t number = 0;
  for (; dot != end; ++dot) number = 10 * number + (*dot - '0');
  return number;
}

using Operands = absl::InlinedVector<InstructionId, 8>;

class Emitter {
 public:
  Emitter(const hlo::Module& input, const Graph& graph, const Bodies& bodies, const LiveNodes& live,
          hlo::Module* module)
      : graph_(graph),
        bodies_(bodies),
        live_(live),
        input_(input),
        module_(*module),
        kept_(input, module),
        output_{&input, module, &kept_, &graph.recipes()},
        expander_(&output_, graph),
        made_(static_cast<size_t>(graph.size()), hlo::kNoId) {}

  // `causes` may be null.
  absl::Status Run(std::vector<InstructionId>* causes) {
    KeepCalledNames();
    AddComputations();
    AddParameters();
    if (causes != nullptr) causes->resize(module_.num_instructions(), hlo::kNoId);
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.size()); ++id) {
      if (!IsWritten(id)) continue;
      TESSERA_RETURN_IF_ERROR(Write(id));
      if (causes != nullptr) causes->resize(module_.num_instructions(), graph_.node(id).cause);
    }
    for (size_t body = 0; body < writers_.size(); ++body) {
      if (writers_[body] == nullptr) continue;
      module_.SetRoot(writers_[body]->computation(), MadeOf(bodies_.nodes()[body].root));
    }
    module_.SetEntry(writers_[0]->computation());
    kept_.Fill();
    if (causes != nullptr) causes->resize(module_.num_instructions(), hlo::kNoId);
    FitHeader(input_, &module_);
    return absl::OkStatus();
  }

  // The last live node that the visit of an instruction made has its value. A node that is left out
  // is the instruction of its operand, which was made for another instruction before.
  std::vector<InstructionId> Sources() const {
    std::vector<InstructionId> sources(module_.num_instructions(), hlo::kNoId);
    std::vector<int32_t> done_in(input_.num_instructions(), -1);  // the body, by instruction
    for (NodeId id = static_cast<NodeId>(graph_.size()); id-- > 0;) {
      const Node& node = graph_.node(id);
      if (At(made_, id) == hlo::kNoId || node.cause == hlo::kNoId) continue;
      if (std::exchange(done_in[node.cause], node.body) != node.body) {
        sources[At(made_, id)] = node.cause;
      }
    }
    for (const auto& [from, to] : kept_.copied()) sources[to] = from;
    return sources;
  }

  // The last node of a get-tuple-element that is left out.
  std::vector<std::pair<InstructionId, InstructionId>> Elements() const {
    std::vector<std::pair<InstructionId, InstructionId>> elements;
    std::vector<int32_t> done_in(input_.num_instructions(), -1);  // the body, by instruction
    for (NodeId id = static_cast<NodeId>(graph_.size()); id-- > 0;) {
      const Node& node = graph_.node(id);
      const bool is_element = node.cause != hlo::kNoId && MadeOf(id) != hlo::kNoId &&
                              input_.instruction(node.cause).opcode == Opcode::kGetTupleElement;
      if (!is_element || std::exchange(done_in[node.cause], node.body) == node.body) continue;
      if (At(made_, id) == hlo::kNoId) elements.emplace_back(MadeOf(id), node.cause);
    }
    return elements;
  }

 private:
  // Names of computations that are not partitioned but may be called.
  void KeepCalledNames() {
    std::vector<bool> is_body(input_.num_computations(), false);
    for (const Body& body : bodies_.bodies()) is_body[body.computation] = true;
    for (hlo::ComputationId c = 0; c < input_.num_computations(); ++c) {
      if (is_body[c] || input_.computation(c).removed) continue;
      output_.computation_names.Unique(input_.computation(c).name);
    }
    for (InstructionId id = 0; id < input_.num_instructions(); ++id) {
      output_.next_number =
          std::max(output_.next_number, NumberOf(input_.instruction(id).name) + 1);
    }
  }

  // What is called comes first.
  void AddComputations() {
    writers_.resize(bodies_.bodies().size());
    for (size_t body = writers_.size(); body-- > 0;) {
      if (live_.is_run[body] == 0) continue;
      const std::string name = output_.NewComputationName(
          absl::StrCat(input_.computation(bodies_.bodies()[body].computation).name, "_spmd"));
      writers_[body] = std::make_unique<BodyWriter>(&output_, module_.AddComputation(name));
    }
  }

  bool IsParameter(const Node& node) const {
    return node.opcode == Opcode::kParameter && node.cause != hlo::kNoId &&
           input_.instruction(node.cause).opcode == Opcode::kParameter &&
           live_.is_run[static_cast<size_t>(node.body)] != 0;
  }

  // All of them, read or not, in the order of their numbers.
  void AddParameters() {
    std::vector<std::vector<NodeId>> parameters(writers_.size());
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.size()); ++id) {
      const Node& node = graph_.node(id);
      if (!IsParameter(node)) continue;
      std::vector<NodeId>& list = At(parameters, node.body);
      const size_t number = input_.instruction(node.cause).parameter_number;
      if (list.size() <= number) list.resize(number + 1, -1);
      list[number] = id;
    }
    for (size_t body = 0; body < parameters.size(); ++body) {
      for (NodeId id : parameters[body]) {
        const Node& node = graph_.node(id);
        writers_[body]->Begin(MetadataOf(node));
        At(made_, id) = writers_[body]->AddNamed(expander_.NameOf(node), Opcode::kParameter,
                                                 expander_.ShapeOf(node), {}, {});
      }
    }
  }

  // A collective in the computation of a fusion, or its operand.
  bool IsInFusion(const Node& node) const {
    return node.cause != hlo::kNoId && input_.instruction(node.cause).computation !=
                                           At(bodies_.bodies(), node.body).computation;
  }

  // An element of a tuple made here is the tuple's operand.
  bool IsWritten(NodeId id) const {
    const Node& node = graph_.node(id);
    return At(live_.is_live, id) != 0 && At(made_, id) == hlo::kNoId && !IsInFusion(node) &&
           (node.opcode != Opcode::kGetTupleElement || graph_.Resolved(id) == id);
  }

  InstructionId MadeOf(NodeId id) const { return At(made_, graph_.Resolved(id)); }

  // An element that is named in place (`x#1`) has the metadata of its tuple.
  absl::string_view MetadataOf(const Node& node) {
    if (node.named == metadata_of_) return metadata_;
    metadata_of_ = node.named;
    const InstructionId id = NamedBy(input_, node.named);
    const auto text =
        id == hlo::kNoId ? std::nullopt : input_.FindAttribute(id, hlo::AttributeName::kMetadata);
    return metadata_ = module_.Held(text.value_or(""));
  }

  absl::Status Write(NodeId id) {
    const Node& node = graph_.node(id);
    BodyWriter& body = *At(writers_, node.body);
    body.Begin(MetadataOf(node));
    Operands operands;
    for (NodeId operand : graph_.operands(id)) operands.push_back(MadeOf(operand));
    if (node.site >= 0) {
      At(made_, id) = Call(id, std::move(operands), &body);
      return absl::OkStatus();
    }
    const auto made = expander_.Expand(id, operands, &body);
    if (!made.ok()) return AtCause(made.status(), node);
    At(made_, id) = *made;
    return absl::OkStatus();
  }

  absl::Status AtCause(const absl::Status& status, const Node& node) const {
    const hlo::ComputationId computation = At(bodies_.bodies(), node.body).computation;
    const InstructionId cause =
        node.cause == hlo::kNoId ? input_.computation(computation).root : node.cause;
    return hlo::PlacedAt(input_, cause, status);
  }

  // The walk lists the predicate of a branch after the arguments, and the condition of a loop
  // before its body.
  InstructionId Call(NodeId id, Operands operands, BodyWriter* body) {
    std::vector<hlo::ComputationId> called;
    for (int32_t inner : graph_.site(id).bodies) {
      called.push_back(At(writers_, inner)->computation());
    }
    const Opcode opcode = graph_.node(id).opcode;
    if (opcode == Opcode::kWhile) std::reverse(called.begin(), called.end());
    if (opcode == Opcode::kConditional) {
      std::rotate(operands.begin(), operands.end() - 1, operands.end());
    }
    return expander_.ExpandCall(id, operands, called, body);
  }

  const Graph& graph_;
  const Bodies& bodies_;
  const LiveNodes& live_;
  const hlo::Module& input_;
  hlo::Module& module_;
  KeptComputations kept_;
  Output output_;
  Expander expander_;
  std::vector<std::unique_ptr<BodyWriter>> writers_;  // by body; null: never run
  std::vector<InstructionId> made_;                   // by node
  InstructionId metadata_of_ = hlo::kNoId;            // of the last node
  absl::string_view metadata_;
};

}  // namespace

absl::StatusOr<Emitted> EmitModule(const hlo::Module& input, const Graph& graph,
                                   const Bodies& bodies, const LiveNodes& live, bool lists_causes) {
  Emitted emitted;
  emitted.module.SetSource(input.text(), /*range=*/{});
  // A mask, an offset or a choice is several instructions; collectives have the most attributes.
  const auto nodes = static_cast<size_t>(absl::c_count(live.is_live, 1));
  emitted.module.Reserve(nodes * 5 / 3, 3 * nodes + live.collectives.size());
  Emitter emitter(input, graph, bodies, live, &emitted.module);
  TESSERA_RETURN_IF_ERROR(emitter.Run(lists_causes ? &emitted.causes : nullptr));
  emitted.sources = emitter.Sources();
  if (lists_causes) emitted.elements = emitter.Elements();
  return emitted;
}

}  // namespace tessera::sharding::partition
