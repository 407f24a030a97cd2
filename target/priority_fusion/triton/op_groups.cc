#include "tessera/target/priority_fusion/triton/op_groups.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

class Finder {
 public:
  Finder(const DeviceProgram& program, absl::Span<const InstructionId> ids,
         absl::Span<const OpFacts> facts, const Expression& expression)
      : program_(program), facts_(facts), expression_(expression), readers_(expression.size()) {
    for (size_t k = expression.size(); k-- > 0;) {
      const bool is_result = k + 1 == expression.size();
      if (is_result || !readers_[k].empty()) AddOp(ids[expression[k].op], k);
    }
  }

  OpGroups Take() && { return std::move(found_); }

 private:
  struct Reader {
    uint32_t group = 0;
    Edge edge;
  };
  using Readers = absl::InlinedVector<Reader, 2>;

  void AddOp(InstructionId id, size_t k) {
    const uint32_t g = GroupOf(k);
    const OpFacts& facts = facts_[expression_[k].op];
    found_.groups[g].flops += facts.flops / std::max(1.0, facts.elements);
    found_.groups[g].has_iota |= facts.opcode == Opcode::kIota;
    for (size_t q = 0; q < expression_[k].reads.size(); ++q)
      AddEdge(id, g, q, expression_[k].reads[q]);
  }

  uint32_t GroupOf(size_t k) {
    const Readers& readers = readers_[k];
    const auto is_of_first = [&](const Reader& reader) {
      return reader.edge.how == Edge::kSame && reader.group == readers[0].group;
    };
    if (!readers.empty() && absl::c_all_of(readers, is_of_first)) return readers[0].group;
    const auto g = static_cast<uint32_t>(found_.groups.size());
    found_.groups.emplace_back();
    for (Reader reader : readers) {
      reader.edge.to = g;
      found_.groups[reader.group].Add(reader.edge);
    }
    return g;
  }

  void AddEdge(InstructionId id, uint32_t g, size_t q, const Read& read) {
    const bool is_scalar = program_.shape(program_.operand(id, q)).rank() == 0;
    const bool is_same = projection::IsElementwise(program_.opcode(id));
    const Edge::How how = is_scalar ? Edge::kScalar : is_same ? Edge::kSame : Edge::kByShape;
    Edge edge = {how, read.kind == Read::kKernel, 0, id, q};
    if (edge.is_read) {
      edge.to = PlaceOfRead(read.index);
      found_.groups[g].Add(edge);
    } else {
      readers_[read.index].push_back({g, edge});
    }
  }

  uint32_t PlaceOfRead(uint32_t kernel) {
    const auto next = static_cast<uint32_t>(found_.reads.size());
    const uint32_t place = places_.try_emplace(kernel, next).first->second;
    const OpFacts& facts = facts_[kernel];
    if (place == next)
      found_.reads.push_back({kernel, facts.bytes / std::max(1.0, facts.elements)});
    return place;
  }

  const DeviceProgram& program_;
  absl::Span<const OpFacts> facts_;
  const Expression& expression_;
  OpGroups found_;
  std::vector<Readers> readers_;                    // by place in the expression
  absl::flat_hash_map<uint32_t, uint32_t> places_;  // of reads, by kernel
};

}  // namespace

OpGroups GroupsOf(const DeviceProgram& program, absl::Span<const InstructionId> ids,
                  absl::Span<const OpFacts> facts, const Expression& expression) {
  return Finder(program, ids, facts, expression).Take();
}

}  // namespace tessera::target
