// cse: of two instructions that compute the same from the same, the second goes.
//
//   a = f32[8] negate(x)
//   b = f32[8] negate(x)        ->  a in its place
//
// The same are: opcode, shape, operands (of a commutative operation in any order), attributes but
// metadata, and callees that do the same. Collectives of different channels are not the same. What
// has no operand is merged if it is a constant or the number of the partition. Equal iotas are equal
// operands, and one instruction uses only one of them, but they stay two instructions. Cost: linear
// in the module and the texts of its attributes; a long text that many attributes share counts once.

#include "tessera/target/passes/cse.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// Without operands, and yet the same each time.
bool IsValueByItself(Opcode opcode) {
  return opcode == Opcode::kConstant || opcode == Opcode::kPartitionId ||
         opcode == Opcode::kReplicaId;
}

// Names of callees say nothing either: what they do is compared.
bool SaysWhatItDoes(AttributeName name) {
  switch (name) {
    case AttributeName::kBody:
    case AttributeName::kBranchComputations:
    case AttributeName::kCalledComputations:
    case AttributeName::kCalls:
    case AttributeName::kCondition:
    case AttributeName::kFalseComputation:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kMetadata:
    case AttributeName::kOrigin:
    case AttributeName::kScatter:
    case AttributeName::kSelect:
    case AttributeName::kStatistics:
    case AttributeName::kToApply:
    case AttributeName::kTrueComputation:
      return false;
    default:
      return true;
  }
}

// Numbers for what attributes and callees say: equal numbers, equal meaning.
class Meanings {
 public:
  explicit Meanings(DeviceProgram* program) : program_(*program) {}

  uint32_t Of(InstructionId id) {
    const hlo::Module& module = program_.module();
    if (module.attributes(id).empty() && module.called(id).empty() &&
        program_.opcode(id) != Opcode::kConstant) {
      return 0;
    }
    return NumberOf(TextOf(id));
  }

 private:
  std::string TextOf(InstructionId id) {
    const hlo::Module& module = program_.module();
    std::string text;
    AddValue(module.LiteralText(id), &text);
    for (const hlo::Attribute& attribute : module.attributes(id)) {
      if (!SaysWhatItDoes(attribute.name())) continue;
      absl::StrAppend(&text, ";", static_cast<int>(attribute.name()));
      AddValue(attribute.value(), &text);
    }
    for (const ComputationId c : module.called(id)) absl::StrAppend(&text, "@", OfComputation(c));
    return text;
  }

  // The pairs of hundreds of devices are some kilobytes, which thousands of permutes share.
  void AddValue(absl::string_view value, std::string* text) {
    constexpr size_t kLong = 64;
    if (value.size() < kLong) {
      absl::StrAppend(text, "=", value);
      return;
    }
    uint32_t& number = shared_[{value.data(), value.size()}];
    if (number == 0) {
      number = long_.try_emplace(value, static_cast<uint32_t>(long_.size() + 1)).first->second;
    }
    absl::StrAppend(text, "#", number);
  }

  // Recursion is as deep as calls are nested, see hlo/call_limits.h.
  uint32_t OfComputation(ComputationId c) {
    const auto known = computations_.find(c);
    if (known != computations_.end()) return known->second;
    std::string text;
    absl::flat_hash_map<InstructionId, size_t> places;
    const std::vector<InstructionId> order = program_.PostOrder(c);
    for (const InstructionId id : order) {
      places[id] = places.size();
      absl::StrAppend(&text, "\n", static_cast<int>(program_.opcode(id)), " ",
                      program_.module().shape_id(id), " ",
                      program_.module().instruction(id).parameter_number, TextOf(id));
      for (const InstructionId operand : program_.operands(id)) {
        absl::StrAppend(&text, " ", places[operand]);
      }
    }
    absl::StrAppend(&text, "\nroot ", places[program_.module().computation(c).root]);
    return computations_[c] = NumberOf(std::move(text));
  }

  uint32_t NumberOf(std::string text) {
    const uint32_t next = static_cast<uint32_t>(numbers_.size() + 1);
    return numbers_.try_emplace(std::move(text), next).first->second;
  }

  DeviceProgram& program_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  // Numbers of long values, of their own kind: by content, and by place and size.
  absl::flat_hash_map<absl::string_view, uint32_t> long_;
  absl::flat_hash_map<std::pair<const char*, size_t>, uint32_t> shared_;
  absl::flat_hash_map<ComputationId, uint32_t> computations_;
};

// Opcode, shape and operands: all but the meaning.
using Operands = absl::InlinedVector<InstructionId, 4>;
using Frame = std::tuple<Opcode, hlo::ShapeId, Operands>;

// The first of equal iotas, for each of them.
class Iotas {
 public:
  explicit Iotas(DeviceProgram* program) : program_(*program) {}

  InstructionId Of(InstructionId id) {
    if (program_.opcode(id) != Opcode::kIota) return id;
    const int64_t dim =
        hlo::GetInt(program_.module(), id, AttributeName::kIotaDimension).value_or(0);
    return firsts_.try_emplace({program_.module().shape_id(id), dim}, id).first->second;
  }

  // Of equal iotas among the operands, the first stands for all.
  void ShareAsOperands(InstructionId user) {
    absl::flat_hash_map<InstructionId, InstructionId> used;
    for (size_t k = 0; k < program_.operands(user).size(); ++k) {
      const InstructionId operand = program_.operand(user, k);
      if (program_.opcode(operand) != Opcode::kIota) continue;
      const InstructionId first = used.try_emplace(Of(operand), operand).first->second;
      if (first == operand) continue;
      program_.SetOperand(user, k, first);
      program_.RemoveDead(operand);
    }
  }

 private:
  DeviceProgram& program_;
  absl::flat_hash_map<std::pair<hlo::ShapeId, int64_t>, InstructionId> firsts_;
};

Frame FrameOf(const DeviceProgram& program, InstructionId id, Iotas* iotas) {
  Operands operands;
  for (const InstructionId operand : program.operands(id)) operands.push_back(iotas->Of(operand));
  if (IsCommutative(program.opcode(id))) std::sort(operands.begin(), operands.end());
  return {program.opcode(id), program.module().shape_id(id), std::move(operands)};
}

// The first of equal instructions. Meanings are found where frames are equal, which few are.
class Firsts {
 public:
  Firsts(DeviceProgram* program, Meanings* meanings, Iotas* iotas, size_t instructions)
      : program_(*program), meanings_(*meanings), iotas_(*iotas) {
    frames_.reserve(instructions);
  }

  // That which is equal to this one; itself if there is none before it.
  InstructionId Of(InstructionId id) {
    const auto [frame, is_new] =
        frames_.try_emplace(FrameOf(program_, id, &iotas_), Alike{id, kNoNumber});
    if (is_new) return id;
    Alike& alike = frame->second;
    if (alike.number == kNoNumber) {
      alike.number = ++last_number_;
      firsts_[{alike.number, meanings_.Of(alike.first)}] = alike.first;
    }
    return firsts_.try_emplace({alike.number, meanings_.Of(id)}, id).first->second;
  }

 private:
  static constexpr uint32_t kNoNumber = 0;
  // Those of one frame; a number where there are more than one.
  struct Alike {
    InstructionId first;
    uint32_t number;
  };

  DeviceProgram& program_;
  Meanings& meanings_;
  Iotas& iotas_;
  absl::flat_hash_map<Frame, Alike> frames_;
  uint32_t last_number_ = kNoNumber;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, InstructionId> firsts_;  // by frame, meaning
};

bool IsCandidate(DeviceProgram& program, InstructionId id) {
  if (program.IsPinned(id) || program.HasSideEffects(id)) return false;
  return !program.operands(id).empty() || IsValueByItself(program.opcode(id));
}

}  // namespace

void MergeEqual(DeviceProgram& program, absl::FunctionRef<bool(InstructionId)> may_merge) {
  Meanings meanings(&program);
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    Iotas iotas(&program);
    Firsts firsts(&program, &meanings, &iotas, order.size());
    for (const InstructionId id : order) {
      if (!IsCandidate(program, id) || !may_merge(id)) continue;
      const InstructionId first = firsts.Of(id);
      if (first == id) {
        iotas.ShareAsOperands(id);
        continue;
      }
      program.ReplaceUses(id, first);
      program.RemoveDead(id);
    }
  }
}

absl::Status EliminateCommonSubexpressions(Context& context) {
  MergeEqual(context.program, [](InstructionId) { return true; });
  return absl::OkStatus();
}

}  // namespace tessera::target
