#include "tessera/sharding/explain/value_names.h"

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/program/instruction_values.h"

namespace tessera::sharding::explain {
namespace {

using propagation::kNone;
using propagation::ValueId;

constexpr int kNoRank = 3;

// An instruction names best what it makes, then what it stands for, last what it only hands on.
int RankOf(const hlo::Module& module, hlo::InstructionId id, const passes::Value& value) {
  if (value.def() != nullptr && value.def()->source == id) return 0;
  const hlo::Opcode opcode = module.instruction(id).opcode;
  const bool hands_on = opcode == hlo::Opcode::kTuple || opcode == hlo::Opcode::kGetTupleElement;
  return hands_on ? 2 : 1;
}

}  // namespace

ValueNames::ValueNames(const EventLog& log)
    : log_(log),
      captures_(log.program()),
      names_(static_cast<size_t>(log.numbered().num_values())),
      ranks_(names_.size(), kNoRank),
      leaves_(log.program().module().num_instructions()) {
  for (const passes::InstructionValues& table : log.program().leaf_tables()) ReadTable(table);
  NameByOps();
}

void ValueNames::ReadTable(const passes::InstructionValues& table) {
  const hlo::Module& module = log_.program().module();
  for (const hlo::InstructionId id : module.computation(table.block()->source).instructions) {
    ReadInstruction(table, id);
  }
}

void ValueNames::ReadInstruction(const passes::InstructionValues& table, hlo::InstructionId id) {
  const absl::Span<passes::Value* const> leaves = table.Get(id);
  std::vector<ValueId>& known = leaves_[id];
  known.resize(leaves.size(), kNone);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ValueId value = NumberOf(table, id, leaves[i]);
    if (value == kNone) continue;
    if (known[i] == kNone) known[i] = value;
    const int rank = RankOf(log_.program().module(), id, log_.numbered().value(value));
    int& best = ranks_[static_cast<size_t>(value)];
    if (rank >= best) continue;
    best = rank;
    names_[static_cast<size_t>(value)] = {id, static_cast<int>(i), static_cast<int>(leaves.size())};
  }
}

// kNone for a value that is no longer of the program.
ValueId ValueNames::NumberOf(const passes::InstructionValues& table, hlo::InstructionId id,
                             passes::Value* leaf) const {
  passes::Value* const resolved = leaf == nullptr ? nullptr : leaf->Resolve();
  if (resolved == nullptr) return kNone;
  const passes::Value* const value = captures_.Inside(table, id, resolved);
  const std::vector<passes::Value*>& values = log_.numbered().values();
  const bool is_there = value->number() >= 0 &&
                        static_cast<size_t>(value->number()) < values.size() &&
                        values[static_cast<size_t>(value->number())] == value;
  return is_there ? value->number() : kNone;
}

// Copies of constants, and what else no table knows, by the instruction that their op comes from;
// data-flow edges by their owners.
void ValueNames::NameByOps() {
  for (const passes::Op* op : log_.numbered().ops()) {
    if (op == nullptr || op->source == hlo::kNoId) continue;
    for (const passes::Value& result : op->results) {
      ValueName& name = names_[static_cast<size_t>(result.number())];
      if (name.instruction == hlo::kNoId) {
        name = {op->source, result.index(), op->num_results()};
      }
      std::vector<ValueId>& known = leaves_[op->source];
      const bool is_missing = static_cast<size_t>(result.index()) < known.size() &&
                              known[static_cast<size_t>(result.index())] == kNone;
      if (is_missing) known[static_cast<size_t>(result.index())] = result.number();
    }
  }
  for (const propagation::EdgeSpec& edge : log_.numbered().edges()) {
    names_[static_cast<size_t>(edge.result)] = names_[static_cast<size_t>(edge.owner)];
  }
}

ValueId ValueNames::ValueOf(hlo::InstructionId instruction, int leaf) const {
  const std::vector<ValueId>& known = leaves_[instruction];
  return static_cast<size_t>(leaf) < known.size() ? known[static_cast<size_t>(leaf)] : kNone;
}

}  // namespace tessera::sharding::explain
