#include "tessera/pipeline/writers/xla_writer.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/builder.h"
#include "tessera/pipeline/writers/attribute_writer.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/parameter_sources.h"
#include "tessera/pipeline/writers/xla_header.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloComputation;
using sharding::passes::HloForm;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;
using sharding::passes::LeafMap;
using sharding::passes::NodeId;

class Writer {
 public:
  Writer(const hlo::Module& before, const HloForm& form, std::vector<InstructionId>* sources,
         SourceLeaves* leaves)
      : before_(before),
        form_(form),
        builder_(&after_),
        sources_(sources),
        leaves_(leaves),
        made_(before.num_instructions(), hlo::kNoId),
        attributes_(before, form, &after_) {}

  hlo::Module Run() {
    after_.SetSource(before_.text(), /*range=*/{});
    after_.Reserve(NumInstructions());
    after_.SetEntry(Write(form_.entry));
    WriteHeader(before_, {form_.tuple_args, form_.num_partitions}, after_);
    return std::move(after_);
  }

 private:
  size_t NumInstructions() const {
    size_t count = 0;
    for (const HloComputation& c : form_.computations) {
      count += c.verbatim ? before_.computation(c.source).instructions.size() : c.nodes.size();
    }
    return count;
  }

  // Callees are written before their callers.
  ComputationId Write(int index) {
    const auto known = written_.find(index);
    if (known != written_.end()) return known->second;
    const HloComputation& c = form_.computations[static_cast<size_t>(index)];
    if (c.verbatim) return written_[index] = Verbatim(c.source, c.mark);
    for (NodeId node = 0; node < c.num_nodes(); ++node) {
      for (int called : c.node(node).called()) Write(called);
    }
    const ComputationId id = builder_.AddComputation(c.name);
    const std::vector<ParameterSource> parameters = SourcesOfParameters(before_, c);
    std::vector<InstructionId> ids;
    for (NodeId made = 0; made < c.num_nodes(); ++made) {
      const HloNode node = c.node(made);
      const bool is_parameter = node.opcode() == Opcode::kParameter;
      ids.push_back(is_parameter ? WriteParameter(id, node, parameters) : WriteNode(id, node, ids));
    }
    after_.SetRoot(id, ids[static_cast<size_t>(c.root)]);
    return written_[index] = id;
  }

  InstructionId WriteParameter(ComputationId computation, const HloNode& node,
                               const std::vector<ParameterSource>& sources) {
    const auto number = static_cast<size_t>(node.number());
    const ParameterSource known = number < sources.size() ? sources[number] : ParameterSource();
    const InstructionId source = known.is_named ? known.id : hlo::kNoId;
    const absl::string_view name =
        source == hlo::kNoId ? hlo::OpcodeName(node.opcode()) : before_.instruction(source).name;
    const InstructionId id = Add(computation, Opcode::kParameter, name, node.shape(), {});
    if (source != hlo::kNoId) attributes_.Copy(source, false, id);
    attributes_.PutSharding(node.sharding());
    attributes_.SetOf(id);
    Note(id, known.id);
    if (known.id != hlo::kNoId) NoteLeaves(id, known);
    return id;
  }

  void Note(InstructionId id, InstructionId source) {
    if (sources_ == nullptr) return;
    if (sources_->size() <= id) sources_->resize(id + 1, hlo::kNoId);
    (*sources_)[id] = source;
  }

  void NoteLeaves(InstructionId id, const ParameterSource& known) {
    if (known.region != nullptr) return NoteLeaves(id, *known.region);
    if (leaves_ == nullptr || !before_.shape(known.id).is_tuple()) return;
    (*leaves_)[id] = {{0, known.leaf}};
  }

  void NoteLeaves(InstructionId id, const LeafMap& places) {
    if (leaves_ == nullptr) return;
    auto& leaves = (*leaves_)[id];
    for (size_t leaf = 0; leaf < places.size(); ++leaf) {
      if (places[leaf] >= 0) leaves.emplace_back(places[leaf], static_cast<int>(leaf));
    }
  }

  // The instruction that the node stands for or is a part of.
  static InstructionId CounterpartOf(const HloNode& node) {
    const bool is_one = node.role() == HloRole::kCounterpart || node.role() == HloRole::kPart;
    return is_one ? node.source() : hlo::kNoId;
  }

  absl::string_view NameOf(const HloNode& node) const {
    if (node.source() != hlo::kNoId) return before_.instruction(node.source()).name;
    return hlo::OpcodeName(node.opcode());
  }

  InstructionId Add(ComputationId computation, Opcode opcode, absl::string_view name,
                    const layout::Shape& shape, absl::Span<const InstructionId> operands) {
    const std::string unique = builder_.UniqueInstructionName(name);
    // As the text has it, it needs no copy.
    return after_.AddInstruction(computation, opcode, unique == name ? name : unique,
                                 ShapeIdOf(shape), operands);
  }

  // Most nodes share their shapes, which stay where they are: few are looked up by value.
  hlo::ShapeId ShapeIdOf(const layout::Shape& shape) {
    const auto [known, is_new] = shape_ids_.try_emplace(&shape, 0);
    if (is_new) known->second = after_.InternShape(shape);
    return known->second;
  }

  InstructionId WriteNode(ComputationId computation, const HloNode& node,
                          const std::vector<InstructionId>& ids) {
    std::vector<InstructionId> operands;
    for (NodeId operand : node.operands()) operands.push_back(ids[static_cast<size_t>(operand)]);
    const InstructionId id = Add(computation, node.opcode(), NameOf(node), node.shape(), operands);
    if (node.opcode() == Opcode::kConstant) {
      after_.SetLiteralText(
          id, node.like_source() ? before_.LiteralText(node.source()) : node.literal());
    }
    if (node.opcode() == Opcode::kGetTupleElement) {
      attributes_.Put(AttributeName::kIndex, absl::StrCat(node.number()));
    }
    if (node.source() != hlo::kNoId) attributes_.Copy(node.source(), node.like_source(), id);
    for (const auto& [name, value] : node.attributes()) attributes_.Put(name, value);
    if (!node.called().empty()) {
      std::vector<ComputationId> called;
      for (int index : node.called()) called.push_back(written_.at(index));
      after_.SetCalled(id, called);
    }
    attributes_.PutSharding(node.sharding());
    attributes_.SetOf(id);
    Note(id, CounterpartOf(node));
    if (node.opcode() == Opcode::kWhile) NoteLeaves(id, BodyOf(node).parameter_leaves[0]);
    return id;
  }

  const HloComputation& BodyOf(const HloNode& loop) const {
    return form_.computations[static_cast<size_t>(loop.called()[0])];
  }

  // A computation as it is, every instruction but parameters marked with one sharding.
  ComputationId Verbatim(ComputationId source, HloShardingId mark) {
    const auto [known, is_new] = verbatim_.emplace(std::make_pair(source, mark), hlo::kNoId);
    if (!is_new) return known->second;
    const hlo::Computation& c = before_.computation(source);
    for (InstructionId i : c.instructions) {
      for (ComputationId called : before_.called(i)) Verbatim(called, mark);
    }
    constrained_ = ConstrainedScalars(before_, c);
    const ComputationId id = builder_.AddComputation(c.name);
    for (InstructionId i : c.parameters) {
      made_[i] = Add(id, Opcode::kParameter, before_.instruction(i).name, before_.shape(i), {});
      attributes_.Copy(i, true, made_[i]);
      attributes_.SetOf(made_[i]);
    }
    for (InstructionId i : c.instructions) {
      if (before_.instruction(i).opcode != Opcode::kParameter) made_[i] = Clone(id, i, mark);
    }
    after_.SetRoot(id, made_[c.root]);
    return verbatim_[{source, mark}] = id;
  }

  InstructionId Clone(ComputationId computation, InstructionId i, HloShardingId mark) {
    const hlo::Instruction& source = before_.instruction(i);
    std::vector<InstructionId> operands;
    for (InstructionId operand : before_.operands(i)) operands.push_back(made_[operand]);
    if (CallKindOf(before_, i) == CallKind::kConstraint) {
      const InstructionId copy =
          Add(computation, Opcode::kCopy, source.name, before_.shape(i), operands);
      attributes_.Copy(i, false, copy);
      PutConstrained(i);
      attributes_.PutMark(copy, mark);
      attributes_.SetOf(copy);
      return copy;
    }
    const InstructionId id =
        Add(computation, source.opcode, source.name, before_.shape(i), operands);
    if (source.opcode == Opcode::kConstant) after_.SetLiteralText(id, before_.LiteralText(i));
    attributes_.Copy(i, true, id);
    std::vector<ComputationId> called;
    for (ComputationId c : before_.called(i)) called.push_back(verbatim_.at({c, mark}));
    if (!called.empty()) after_.SetCalled(id, called);
    PutConstrained(i);
    attributes_.PutMark(id, mark);
    attributes_.SetOf(id);
    return id;
  }

  void PutConstrained(InstructionId source) {
    if (constrained_.contains(source)) attributes_.PutSharding(form_.without_axes);
  }

  const hlo::Module& before_;
  const HloForm& form_;
  hlo::Module after_;
  hlo::Builder builder_;
  std::vector<InstructionId>* sources_;  // null: nobody asks
  SourceLeaves* leaves_;                 // likewise
  std::vector<InstructionId> made_;      // in Verbatim(), of the computation that it copies
  absl::flat_hash_set<InstructionId> constrained_;  // likewise
  AttributeWriter attributes_;
  absl::flat_hash_map<const layout::Shape*, hlo::ShapeId> shape_ids_;
  absl::flat_hash_map<int, ComputationId> written_;
  std::map<std::pair<ComputationId, HloShardingId>, ComputationId> verbatim_;
};

}  // namespace

hlo::Module WriteXla(const hlo::Module& before, const HloForm& form,
                     std::vector<InstructionId>* sources, SourceLeaves* leaves) {
  hlo::Module after = Writer(before, form, sources, leaves).Run();
  if (sources != nullptr) sources->resize(after.num_instructions(), hlo::kNoId);
  return after;
}

}  // namespace tessera::pipeline::writers
