#include "tessera/hlo/compact.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {
namespace {

// Arrays without a layout get the default one, as in a text that was read.
layout::Shape AsRead(layout::Shape shape) {
  if (shape.is_array() && !shape.has_layout()) {
    shape.set_layout(layout::Layout::Descending(shape.rank()));
  }
  for (size_t k = 0; k < shape.tuple_elements().size(); ++k) {
    layout::Shape* const element = shape.mutable_tuple_element(static_cast<int64_t>(k));
    *element = AsRead(std::move(*element));
  }
  return shape;
}

class Compaction {
 public:
  explicit Compaction(const Module& from)
      : from_(from),
        order_(from),
        shapes_(from.num_shapes(), kNoId),
        ids_(from.num_instructions(), kNoId),
        computations_(from.num_computations(), kNoId) {
    to_.SetSource(from.text(), from.source());
    to_.Reserve(from.num_instructions());
  }

  Module Run() {
    for (const ComputationId c : ComputationPostOrder(from_)) CopyComputation(c);
    to_.SetEntry(computations_[from_.entry_id()]);
    CopyHeader();
    return std::move(to_);
  }

 private:
  ShapeId ShapeOf(ShapeId id) {
    ShapeId& known = shapes_[id];
    if (known == kNoId) known = to_.InternShape(AsRead(from_.interned_shape(id)));
    return known;
  }

  using Ids = absl::InlinedVector<uint32_t, 8>;

  static Ids Mapped(absl::Span<const uint32_t> ids, const std::vector<uint32_t>& to) {
    Ids mapped;
    mapped.reserve(ids.size());
    for (const uint32_t id : ids) mapped.push_back(to[id]);
    return mapped;
  }

  void CopyComputation(ComputationId c) {
    const Computation& before = from_.computation(c);
    computations_[c] = to_.AddComputation(before.name);
    const auto& order = from_.header().is_scheduled ? before.instructions : order_.Of(c);
    for (const InstructionId id : order) ids_[id] = Copy(id);
    Computation& copy = to_.mutable_computation(computations_[c]);
    for (const InstructionId id : order) copy.instructions.push_back(ids_[id]);
    for (const InstructionId id : before.parameters) copy.parameters.push_back(ids_[id]);
    copy.execution_thread = before.execution_thread;
    copy.backend_config = before.backend_config;
    copy.is_async_wrapper = before.is_async_wrapper;
    to_.SetRoot(computations_[c], ids_[before.root]);
  }

  InstructionId Copy(InstructionId id) {
    Instruction copy;
    const Instruction& before = from_.instruction(id);
    copy.name = to_.Held(before.name);
    copy.opcode = before.opcode;
    copy.is_async_sugar = before.is_async_sugar;
    copy.shape = ShapeOf(before.shape);
    copy.computation = computations_[before.computation];
    copy.source = before.source;
    copy.parameter_number = before.parameter_number;
    const InstructionId made = to_.AddDetached(copy);
    to_.SetOperands(made, Mapped(from_.operands(id), ids_));
    if (!from_.called(id).empty()) to_.SetCalled(made, Mapped(from_.called(id), computations_));
    if (!from_.control_predecessors(id).empty()) {
      to_.SetControlPredecessors(made, Mapped(from_.control_predecessors(id), ids_));
    }
    for (const Attribute& attribute : from_.attributes(id)) {
      to_.AddAttribute(made, Attribute(attribute.name(), to_.Held(attribute.value()), 0));
    }
    if (before.opcode == Opcode::kConstant)
      to_.SetKeptLiteralText(made, to_.Held(from_.LiteralText(id)));
    return made;
  }

  void CopyHeader() {
    EntryLayout layout;
    const EntryShapes shapes(from_);
    for (size_t k = 0; k < shapes.num_parameters(); ++k) {
      layout.parameters.push_back(to_.InternShape(AsRead(shapes.Parameter(k))));
    }
    layout.result = to_.InternShape(AsRead(shapes.Result()));
    ModuleHeader& header = to_.mutable_header();
    header = from_.header();
    for (absl::string_view* const text : {&header.name, &header.origin_recovery_table,
                                          &header.debug_attributes, &header.stack_frames}) {
      *text = to_.Held(*text);
    }
    header.has_header_line = true;
    header.entry_layout = std::move(layout);
  }

  const Module& from_;
  Module to_;
  PostOrderWalk order_;
  std::vector<ShapeId> shapes_;  // of `to_`, by those of `from_`; so are the next
  std::vector<InstructionId> ids_;
  std::vector<ComputationId> computations_;
};

}  // namespace

Module Compacted(const Module& module) { return Compaction(module).Run(); }

}  // namespace tessera::hlo
