// narrow-collectives: an array that is only read as bf16 is exchanged as bf16.
//
//   g = f32[64,8] all-gather(x), d = dot(y, g) at default precision
//   ->  g = convert(bf16[64,8] all-gather(convert(x))) to f32
//
// Read as bf16 are operands of dots and convolutions at default precision, and what a convert to bf16
// takes. Between may stand whatever keeps its operand's precision, as XLA's bf16 propagation has it:
// moves, choices, padding, other collectives, and what a loop carries; every use counts. Of f32
// all-gathers, all-reduces, all-to-alls and permutes of one array, and of gathers of rows of what the program
// computes; found from outside. What crosses the network between slices stays, since hosts exchange it as it is. Reduce-scatters stay: there the compiler has a fusion of a sum and a slice.

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/bf16_reads.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr char kNarrowTypes[] = "narrow-collectives";

// Which instructions are read as bf16 everywhere, through moves too, and through what loops carry. An
// element of a loop is, if its reads in the body and after the loop are. Linear in the program for each
// nesting of loops, with some rounds for what one trip hands to the next.
class Readers {
 public:
  explicit Readers(DeviceProgram* program)
      : program_(*program),
        read_as_bf16_(program->module().num_instructions(), false),
        in_tuples_(program->module().num_instructions(), true),
        is_of_loop_(program->module().num_instructions(), false) {
    std::vector<bool> is_of_loop(program->module().num_computations(), false);
    for (const ComputationId c : program->Computations()) {
      for (const InstructionId id : program->module().computation(c).instructions) {
        if (program->IsRemoved(id) || program->opcode(id) != Opcode::kWhile) continue;
        for (const ComputationId called : program->module().called(id)) is_of_loop[called] = true;
      }
    }
    for (const ComputationId c : program->Computations()) {
      if (!is_of_loop[c]) Walk(c);
    }
  }

  bool ReadAsBf16(InstructionId id) const { return read_as_bf16_[id]; }

 private:
  using Elements = std::vector<bool>;  // of a loop's tuple
  static constexpr int kMaxRounds = 8;
  static constexpr int kMaxDepth = 2;  // loops further inside keep what they carry

  // Users first.
  void Walk(ComputationId c) {
    const std::vector<InstructionId> order = program_.PostOrder(c);
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      Look(*id);
      if (program_.opcode(*id) == Opcode::kWhile) WalkLoop(*id);
    }
  }

  void Look(InstructionId id) {
    bool is = program_.HasUsers(id) && !program_.IsRoot(id);
    program_.ForEachUse(id, [&](InstructionId user) {
      is &= is_of_loop_[user] ? in_tuples_[id]
                              : ReadsAsBf16(program_, user) ||
                                    (KeepsPrecision(program_, user, id) && read_as_bf16_[user]);
    });
    read_as_bf16_[id] = is;
  }

  void WalkLoop(InstructionId id) {
    const auto loop = FindLoop(program_, id);
    if (!loop.has_value()) {
      for (const ComputationId called : program_.module().called(id)) Walk(called);
      return;
    }
    const ComputationId body = program_.computation(loop->root);
    Elements elements = ReadAfter(*loop);
    const bool is_deep = depth_ >= kMaxDepth;
    if (is_deep) elements.assign(elements.size(), false);
    ++depth_;
    for (int round = 0; round < kMaxRounds; ++round) {
      SetElements(loop->root, elements);
      Walk(body);
      if (is_deep) break;
      const Elements next = ReadInBody(*loop, elements);
      if (next == elements) break;
      elements = round + 2 < kMaxRounds ? next : Elements(elements.size(), false);
    }
    --depth_;
    if (program_.OnlyUser(loop->start) == id) SetElements(loop->start, elements);
  }

  void SetElements(InstructionId tuple, const Elements& elements) {
    is_of_loop_[tuple] = true;
    const auto operands = program_.operands(tuple);
    for (const InstructionId operand : operands) in_tuples_[operand] = true;
    for (size_t k = 0; k < operands.size(); ++k) {
      in_tuples_[operands[k]] = in_tuples_[operands[k]] && elements[k];
    }
  }

  // Every element that is read through this tuple is read as bf16.
  void AndReads(InstructionId tuple, Elements* elements) const {
    program_.ForEachUse(tuple, [&](InstructionId user) {
      if (program_.opcode(user) != Opcode::kGetTupleElement) {
        elements->assign(elements->size(), false);
      } else if (!read_as_bf16_[user]) {
        (*elements)[static_cast<size_t>(hlo::GetTupleIndex(program_.module(), user))] = false;
      }
    });
  }

  Elements ReadAfter(const CarriedLoop& loop) const {
    Elements elements(program_.operands(loop.root).size(), !program_.IsRoot(loop.loop));
    AndReads(loop.loop, &elements);
    return elements;
  }

  Elements ReadInBody(const CarriedLoop& loop, Elements elements) const {
    AndReads(loop.parameter, &elements);
    for (size_t k = 0; k < elements.size(); ++k) {
      if (elements[k] && IsReadByCondition(program_, loop, k)) elements[k] = false;
    }
    return elements;
  }

  DeviceProgram& program_;
  std::vector<bool> read_as_bf16_;  // by InstructionId
  std::vector<bool> in_tuples_;     // the same, of what tuples of loops take
  std::vector<bool> is_of_loop_;    // tuples that a loop begins with or hands on
  int depth_ = 0;                   // loops around the one that is walked
};

// Of an argument, or a copy of it, what is gathered stays as it is.
bool IsMade(const DeviceProgram& program, InstructionId id) {
  while (KeepsPrecision(program, id, program.operands(id).empty() ? kNoId : program.operand(id, 0)))
    id = program.operand(id, 0);
  return program.opcode(id) != Opcode::kParameter && program.opcode(id) != Opcode::kGetTupleElement;
}

bool IsCandidate(const DeviceProgram& program, InstructionId id) {
  const Opcode opcode = program.opcode(id);
  const bool gathers = opcode == Opcode::kGather && IsMade(program, program.operand(id, 0));
  const bool exchanges = IsCollective(opcode) && program.operands(id).size() == 1;
  if (!gathers && !exchanges) return false;
  if (program.IsPinned(id) || !program.shape(id).is_array()) return false;
  if (program.shape(id).element_type() != ElementType::kF32) return false;
  if (opcode == Opcode::kReduceScatter) return false;
  return opcode != Opcode::kAllReduce || ReductionOf(program, id).has_value();
}

void Narrow(Context& context, InstructionId id) {
  DeviceProgram& program = context.program;
  std::vector<InstructionId> operands(program.operands(id).begin(), program.operands(id).end());
  operands[0] = AddConvert(program, operands[0], ElementType::kBf16);
  const InstructionId narrow =
      program.Clone(id, operands, Retyped(program.shape(id), ElementType::kBf16));
  if (const auto reduction = ReductionOf(program, id); reduction.has_value()) {
    SetReducer(context.program, narrow, *reduction);
  }
  context.origins.Set(kNarrowTypes, program, narrow, {id});
  program.ReplaceUses(id, AddConvert(program, narrow, ElementType::kF32));
  program.RemoveDead(id);
}

}  // namespace

absl::Status NarrowCollectives(Context& context) {
  DeviceProgram& program = context.program;
  const Readers readers(&program);
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsCandidate(program, id) || !readers.ReadAsBf16(id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const bool crosses, SpansSlices(context, id));
    if (!crosses) Narrow(context, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
