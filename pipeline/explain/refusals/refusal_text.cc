#include "tessera/pipeline/explain/refusals/refusal_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/explain/refusals/refusal_words.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Arrival;
using sharding::explain::Endpoint;
using sharding::explain::KindWord;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::TieBreak;
using sharding::explain::Time;
using sharding::propagation::kNone;
using Words = RefusalWords;

// --- by what the user wrote ----------------------------------------------------------------------

std::string GroupConflict(const Words& w) {
  return absl::StrCat(
      "the members of a sharding group disagree from the start, so it is split: ",
      absl::StrJoin(w.refusal().members, ", ", [&](std::string* out, const Endpoint& member) {
        absl::StrAppend(out, w.Tensor(member));
      }));
}
std::string ExplicitlyReplicated(const Words& w) {
  return absl::StrCat(w.Tensor(w.refusal().holder), " keeps it replicated: ", w.Sayer());
}
std::string Unreduced(const Words& w) {
  return absl::StrCat(w.Tensor(w.refusal().holder), " holds partial sums over it: ", w.Sayer());
}
std::string ClosedDimension(const Words& w) {
  return absl::StrCat(w.At(w.refusal().holder), " is closed by ", w.Sayer());
}
std::string Barrier(const Words& w) {
  return absl::StrCat("propagation barrier ", w.Op(), " lets nothing pass in this direction");
}
std::string ManualAxis(const Words& w) {
  return absl::StrCat("it is manual in the shard_map that begins at ",
                      w.Instruction(w.refusal().border),
                      ": arrays inside are one shard of it, and at the boundary it is replicated "
                      "unless the specs name it");
}
std::string AnnotationIgnored(const Words& w) {
  return absl::StrCat(w.Instruction(w.refusal().on),
                      " carries xla.sdy.sharding, which XLA does not read there; use a constraint");
}

// --- by devices ----------------------------------------------------------------------------------

std::string SingleDevice(const Words& w) {
  const Endpoint& holder = w.refusal().holder;
  if (holder.slot < 0) return "it lives on a single device";
  return absl::StrCat(w.Tensor(holder), " lives on a single device: ", w.Op(),
                      " does not propagate");
}
std::string MeshMismatch(const Words& w) {
  return absl::StrCat(w.Tensor(w.refusal().from), " and ", w.Tensor(w.refusal().holder),
                      " are on different meshes (axes or device order): ", w.Op(),
                      " cannot combine them");
}

// --- conflicts -----------------------------------------------------------------------------------

// " ('data' and 'model')", where both still have them.
std::string AxesOfBoth(const Words& w) {
  const std::string one = w.AxesAt(w.refusal().holder), other = w.AxesAt(w.refusal().other);
  return one.empty() || other.empty() ? "" : absl::StrCat(" (", one, " and ", other, ")");
}

std::string ConflictingSources(const Words& w) {
  return absl::StrCat(w.At(w.refusal().holder), " and ", w.At(w.refusal().other),
                      " ask for different axes there", AxesOfBoth(w), ": neither wins");
}
std::string BehindRefusedAxis(const Words& w) {
  const Refusal& r = w.refusal();
  return absl::StrCat("it follows ", w.Axis(r.axis_before), ", which was refused (",
                      KindWord(r.inner->kind),
                      "): ", RefusalMessage(w.explained(), w.labels(), *r.inner));
}
std::string AxisInUse(const Words& w) {
  const Refusal& r = w.refusal();
  const bool is_earlier = r.arrival == Arrival::kEarlierStep && r.came.has_value();
  const bool is_same_tensor = r.holder.tensor == r.to.tensor;
  return absl::StrCat(w.At(r.holder), " has ", w.Axis(r.held), " already", w.Winner(),
                      is_same_tensor
                          ? ": an axis splits one dimension of a tensor only"
                          : ": the basic strategy moves no axis that another factor of the "
                            "operation has",
                      is_earlier ? absl::StrCat(" (it came in step ", r.came->step, ")") : "");
}
std::string LostConflict(const Words& w) {
  const Refusal& r = w.refusal();
  const std::string elements =
      r.tie_break == TieBreak::kLargerSource
          ? absl::StrCat(" (", r.winner_elements, " elements over ", r.loser_elements, ")")
          : "";
  return absl::StrCat(w.At(r.holder), " got ", w.Axis(r.held), w.Winner(),
                      " in the same step, and was taken first: ", TieBreakWords(r.tie_break),
                      elements);
}
std::string LaterUserPriority(const Words& w) {
  const Refusal& r = w.refusal();
  return absl::StrCat("it has priority ", r.refused->round, "; ", w.Axis(r.held), " on ",
                      w.At(r.holder), w.Winner(), " (priority ", r.came->round, ") came before");
}
std::string LevelText(const Time& time) {
  return absl::StrCat("level ", time.level, " (", LevelInWords(time.level), ")");
}
std::string EarlierLevel(const Words& w) {
  const Refusal& r = w.refusal();
  return absl::StrCat(w.Axis(r.held), " came to ", w.At(r.holder), w.Winner(), " at ",
                      LevelText(*r.came), "; ", w.Op(), " looks at this factor at ",
                      LevelText(*r.refused));
}
std::string Overwritten(const Words& w) {
  const Endpoint& winner = w.refusal().winner;
  if (winner.slot < 0) return "a member of its sharding group was written: all take that one";
  return absl::StrCat("the tensor is more than one operand of ", w.Op(),
                      ": the answer for operand ", winner.tensor, " stands");
}
std::string StaleCall(const Words& w) {
  return absl::StrCat(w.Op(), " was not visited again after its argument changed");
}

// --- sizes ---------------------------------------------------------------------------------------

// "; 24 would", the next size of which the axes take equal parts.
std::string NextSize(const Refusal& r) {
  const int64_t parts = r.size_before * r.size_need;
  if (parts <= 0 || r.size_have <= 0) return "";
  return absl::StrCat("; ", (r.size_have + parts - 1) / parts * parts, " would");
}
std::string NotDivisible(const Words& w) {
  const Refusal& r = w.refusal();
  return absl::StrCat(
      "the major part of the dimension has size ", r.size_have,
      r.size_before > 1 ? absl::StrCat(", ", r.size_before, " parts of it are taken,") : "",
      " and an axis of size ", r.size_need, " does not divide it", NextSize(r), w.Kept());
}
std::string BoundaryNotDivisible(const Words& w) {
  const Refusal& r = w.refusal();
  return absl::StrCat("at the boundary of the function ", r.size_have, " does not divide by ",
                      r.size_before * r.size_need, NextSize(r), w.AfterAxis(), w.Kept(),
                      "; the instruction inside keeps it");
}
std::string Overflow(const Words& w) {
  return absl::StrCat("an axis of size ", w.refusal().size_need,
                      " does not fit into the part of size ", w.refusal().size_have,
                      " of the dimension that ", w.Op(), " reshapes");
}
std::string StridedView(const Words& w) {
  return absl::StrCat("it would split the minor part (", w.refusal().size_have,
                      ") of a dimension whose major part (", w.refusal().size_before,
                      ") is not split fully: a strided slice, not a block");
}
std::string ResultCap(const Words& w) {
  return absl::StrCat("an element-wise operand is not split further than its result ",
                      w.Tensor(w.refusal().holder));
}

// --- operations ----------------------------------------------------------------------------------

std::string NoRule(const Words& w) {
  return absl::StrCat(w.Opcode(), " has no sharding rule: nothing passes through it");
}
std::string PredicateConditional(const Words& w) {
  return absl::StrCat("conditional ", w.Op(),
                      " selects by pred: XLA propagates nothing through it (an s32 index would)");
}
std::string BlockedFactor(const Words& w) {
  return absl::StrCat(w.Opcode(), " carries no axis along this dimension (factor ",
                      Labels::Factor(w.refusal().factor), " is blocked)");
}
std::string NoSharedFactor(const Words& w) {
  const Refusal& r = w.refusal();
  if (w.Rule() == nullptr) return absl::StrCat(w.Op(), " does not relate the two dimensions");
  return absl::StrCat(w.OpWithRule(),
                      " propagates an axis along one factor only: ", w.FactorAt(r.from),
                      " and has the axis, ", w.FactorAt(r.to));
}
std::string ReshardedForOp(const Words& w) {
  return absl::StrCat(w.refusal().actor.op == kNone ? "the result" : w.Op(),
                      " is computed without it; a copy after it may have it");
}

std::string Unreachable(const Words& w) {
  const Endpoint& holder = w.refusal().holder;
  if (holder.slot < 0) return "no chain of dimensions leads here";
  return absl::StrCat("no chain of dimensions leads here from ", w.At(holder), ", ", w.Sayer());
}

struct Sentence {
  RefusalKind kind;
  std::string (*words)(const Words&);
};
constexpr Sentence kSentences[] = {
    {RefusalKind::kGroupConflict, GroupConflict},
    {RefusalKind::kSingleDevice, SingleDevice},
    {RefusalKind::kMeshMismatch, MeshMismatch},
    {RefusalKind::kManualAxis, ManualAxis},
    {RefusalKind::kBarrier, Barrier},
    {RefusalKind::kBlockedFactor, BlockedFactor},
    {RefusalKind::kOverflow, Overflow},
    {RefusalKind::kConflictingSources, ConflictingSources},
    {RefusalKind::kBehindRefusedAxis, BehindRefusedAxis},
    {RefusalKind::kExplicitlyReplicated, ExplicitlyReplicated},
    {RefusalKind::kUnreduced, Unreduced},
    {RefusalKind::kClosedDimension, ClosedDimension},
    {RefusalKind::kNotDivisible, NotDivisible},
    {RefusalKind::kAxisInUse, AxisInUse},
    {RefusalKind::kLostConflict, LostConflict},
    {RefusalKind::kResultCap, ResultCap},
    {RefusalKind::kStridedView, StridedView},
    {RefusalKind::kOverwritten, Overwritten},
    {RefusalKind::kStaleCall, StaleCall},
    {RefusalKind::kLaterUserPriority, LaterUserPriority},
    {RefusalKind::kEarlierLevel, EarlierLevel},
    {RefusalKind::kNoRule, NoRule},
    {RefusalKind::kPredicateConditional, PredicateConditional},
    {RefusalKind::kNoSharedFactor, NoSharedFactor},
    {RefusalKind::kBoundaryNotDivisible, BoundaryNotDivisible},
    {RefusalKind::kReshardedForOp, ReshardedForOp},
    {RefusalKind::kAnnotationIgnored, AnnotationIgnored},
    {RefusalKind::kUnreachable, Unreachable},
};

// The same whatever the refusal.
struct FixedSentence {
  RefusalKind kind;
  const char* words;
};
constexpr FixedSentence kFixed[] = {
    {RefusalKind::kBoundarySubAxis,
     "a part of an axis is dropped at the boundary (an explicit annotation would keep it)"},
    {RefusalKind::kConstantCopy, "a constant has a copy for each user: another one has it"},
    {RefusalKind::kDeadCode, "nothing that the module returns needs it"},
    {RefusalKind::kNotATensorOfPropagation, "it is a scalar inside of a reduction"},
    {RefusalKind::kSizeOneAxis, "the axis has size 1: it splits nothing"},
    {RefusalKind::kNeverRequested, "no annotation names it"},
};

}  // namespace

std::string RefusalMessage(const Explained& explained, const Labels& labels,
                           const Refusal& refusal) {
  for (const Sentence& row : kSentences) {
    if (row.kind == refusal.kind) return row.words(Words(explained, labels, refusal));
  }
  for (const FixedSentence& row : kFixed) {
    if (row.kind == refusal.kind) return row.words;
  }
  return "tessera does not know why: please report it";
}

}  // namespace tessera::pipeline
