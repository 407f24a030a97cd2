#include "tessera/pipeline/explain/refusal_text.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::explain::Annotation;
using sharding::explain::Arrival;
using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::KindWord;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::TieBreak;
using sharding::explain::Time;
using sharding::explain::Verdict;
using sharding::propagation::kNone;

class Sentences {
 public:
  Sentences(const Explained& explained, const Labels& labels, const Refusal& refusal)
      : e_(explained), labels_(labels), r_(refusal) {}

  std::string Message() const;

 private:
  using Sentence = std::string (Sentences::*)() const;
  struct Row {
    RefusalKind kind;
    Sentence sentence;
  };
  static const Row kRows[];

  // --- words -------------------------------------------------------------------------------------

  std::string At(const Endpoint& at) const {
    return at.slot < 0 ? "" : absl::StrCat(labels_.At(at), " dim ", at.dim);
  }
  std::string Tensor(const Endpoint& at) const { return at.slot < 0 ? "" : labels_.At(at); }
  std::string Axis(const std::optional<AxisRef>& axis) const {
    return axis.has_value() && r_.mesh != nullptr ? Labels::Axis(*axis, *r_.mesh) : "an axis";
  }
  std::string Op() const { return labels_.Op(r_.actor.op, r_.actor.output); }
  std::string Opcode() const {
    const hlo::InstructionId id = labels_.InstructionOfOp(r_.actor.op);
    return id == hlo::kNoId ? Op() : labels_.OpcodeAndTarget(id);
  }
  // "constraint P(None, None), model.py:50"
  std::string Sayer() const {
    if (r_.annotation < 0) return "what its sharding group says";
    const Annotation& a = e_.log->annotations()[static_cast<size_t>(r_.annotation)];
    const std::string place = labels_.Place(a.instruction);
    return absl::StrCat(labels_.Annotation(a), place.empty() ? "" : ", ", place);
  }
  std::string Name(hlo::InstructionId id) const {
    return id == hlo::kNoId ? "" : std::string(e_.sharded->module.instruction(id).name);
  }
  std::string Kept() const {
    return r_.kept.has_value() ? absl::StrCat("; ", Axis(r_.kept), " went through") : "";
  }
  std::string Behind() const {
    if (!r_.axis_before.has_value()) return "";
    return absl::StrCat(", and it stands behind ", Axis(r_.axis_before));
  }
  static std::string LevelText(const Time& time) {
    return absl::StrCat("level ", time.level, " (", LevelInWords(time.level), ")");
  }
  std::string WinnerText() const {
    return r_.winner.slot < 0 ? "" : absl::StrCat(" from ", At(r_.winner));
  }

  // --- sentences ---------------------------------------------------------------------------------

  std::string GroupConflict() const {
    return absl::StrCat(
        "the members of a sharding group disagree from the start, so it is split: ",
        absl::StrJoin(r_.members, ", ", [&](std::string* out, const Endpoint& member) {
          absl::StrAppend(out, Tensor(member));
        }));
  }
  std::string SingleDevice() const {
    return r_.holder.slot < 0 ? "it lives on a single device"
                              : absl::StrCat(Tensor(r_.holder), " lives on a single device: ", Op(),
                                             " does not propagate");
  }
  std::string MeshMismatch() const {
    return absl::StrCat(Tensor(r_.from), " and ", Tensor(r_.holder),
                        " are on different meshes (axes or device order): ", Op(),
                        " cannot combine them");
  }
  std::string ManualAxis() const {
    return absl::StrCat("it is manual in the shard_map that begins at ", Name(r_.border),
                        ": arrays inside are one shard of it, and at the border it is replicated "
                        "unless the specs name it");
  }
  std::string Barrier() const {
    return absl::StrCat("propagation barrier ", Op(), " lets nothing pass in this direction");
  }
  std::string BlockedFactor() const {
    return absl::StrCat(Opcode(), " carries no axis along this dimension (factor ",
                        Labels::Factor(r_.factor), " is blocked)");
  }
  std::string Overflow() const {
    return absl::StrCat("an axis of size ", r_.size_need, " does not fit into the part of size ",
                        r_.size_have, " of the dimension that ", Op(), " reshapes");
  }
  std::string ConflictingSources() const {
    return absl::StrCat(At(r_.holder), " and ", At(r_.other),
                        " ask for different axes there: neither wins");
  }
  std::string BehindRefusedAxis() const {
    return absl::StrCat("it follows ", Axis(r_.axis_before), ", which was refused (",
                        KindWord(r_.inner->kind), "): ",
                        Sentences(e_, labels_, *r_.inner).Message());
  }
  std::string ExplicitlyReplicated() const {
    return absl::StrCat(Tensor(r_.holder), " keeps it replicated: ", Sayer());
  }
  std::string Unreduced() const {
    return absl::StrCat(Tensor(r_.holder), " holds partial sums over it: ", Sayer());
  }
  std::string ClosedDimension() const {
    return absl::StrCat(At(r_.holder), " is closed by ", Sayer());
  }
  std::string NotDivisible() const {
    return absl::StrCat(
        "the major part of the dimension has size ", r_.size_have,
        r_.size_before > 1 ? absl::StrCat(", ", r_.size_before, " parts of it are taken,") : "",
        " and an axis of size ", r_.size_need, " does not divide it", Kept());
  }
  std::string AxisInUse() const {
    return absl::StrCat(At(r_.holder), " has ", Axis(r_.held), " already", WinnerText(),
                        ": an axis splits one dimension of a tensor only", ArrivalText());
  }
  std::string ArrivalText() const {
    if (r_.arrival != Arrival::kEarlierStep || !r_.came.has_value()) return "";
    return absl::StrCat(" (it came in step ", r_.came->step, ")");
  }
  std::string LostConflict() const {
    const std::string elements =
        r_.tie_break == TieBreak::kLargerSource
            ? absl::StrCat(" (", r_.winner_elements, " elements over ", r_.loser_elements, ")")
            : "";
    return absl::StrCat(At(r_.holder), " got ", Axis(r_.held), WinnerText(),
                        " in the same step, and was taken first: ", TieBreakWords(r_.tie_break),
                        elements);
  }
  std::string ResultCap() const {
    return absl::StrCat("an element-wise operand is not split further than its result ",
                        Tensor(r_.holder));
  }
  std::string StridedView() const {
    return absl::StrCat("it would split the minor part (", r_.size_have,
                        ") of a dimension whose major part (", r_.size_before,
                        ") is not split fully: a strided slice, not a block");
  }
  std::string Overwritten() const {
    if (r_.winner.slot < 0) return "a member of its sharding group was written: all take that one";
    return absl::StrCat("the tensor is more than one operand of ", Op(),
                        ": the answer for operand ", r_.winner.tensor, " stands");
  }
  std::string StaleCall() const {
    return absl::StrCat(Op(), " was not visited again after its argument changed");
  }
  std::string LaterUserPriority() const {
    return absl::StrCat("it has priority ", r_.refused->round, "; ", Axis(r_.held), " on ",
                        At(r_.holder), WinnerText(), " (priority ", r_.came->round,
                        ") came before");
  }
  std::string EarlierLevel() const {
    return absl::StrCat(Axis(r_.held), " came to ", At(r_.holder), WinnerText(), " at ",
                        LevelText(*r_.came), "; ", Op(), " looks at this factor at ",
                        LevelText(*r_.refused));
  }
  std::string NoRule() const {
    return absl::StrCat(Opcode(), " has no sharding rule: nothing passes through it");
  }
  std::string PredicateConditional() const {
    return absl::StrCat("conditional ", Op(),
                        " selects by pred: XLA propagates nothing through it (an s32 index would)");
  }
  std::string NoSharedFactor() const {
    return absl::StrCat(Op(), " does not relate ", At(r_.from), " to ", At(r_.to),
                        r_.reason.empty() ? "" : ": ", r_.reason);
  }
  std::string BoundaryNotDivisible() const {
    return absl::StrCat("at the border of the function ", r_.size_have,
                        " does not divide by ", r_.size_need, Behind(), Kept(),
                        "; the instruction inside keeps it");
  }
  std::string BoundarySubAxis() const {
    return "a part of an axis is dropped at the border (an explicit annotation would keep it)";
  }
  std::string ReshardedForOp() const {
    return absl::StrCat(r_.actor.op == kNone ? "the result" : Op(),
                        " is computed without it; a copy behind it may have it");
  }
  std::string ConstantCopy() const {
    return "a constant has a copy for each user: another one has it";
  }
  std::string DeadCode() const { return "nothing that the module returns needs it"; }
  std::string NotATensor() const { return "it is a scalar inside of a reduction"; }
  std::string SizeOneAxis() const { return "the axis has size 1: it splits nothing"; }
  std::string NeverRequested() const { return "nobody asks for it"; }
  std::string AnnotationIgnored() const {
    return absl::StrCat(Name(r_.on),
                        " carries xla.sdy.sharding, which XLA does not read there; use a "
                        "constraint");
  }
  std::string Unreachable() const {
    return r_.holder.slot < 0 ? "no chain of dimensions leads here"
                              : absl::StrCat("no chain of dimensions leads here from ",
                                             At(r_.holder), ", ", Sayer());
  }

  const Explained& e_;
  const Labels& labels_;
  const Refusal& r_;
};

const Sentences::Row Sentences::kRows[] = {
    {RefusalKind::kGroupConflict, &Sentences::GroupConflict},
    {RefusalKind::kSingleDevice, &Sentences::SingleDevice},
    {RefusalKind::kMeshMismatch, &Sentences::MeshMismatch},
    {RefusalKind::kManualAxis, &Sentences::ManualAxis},
    {RefusalKind::kBarrier, &Sentences::Barrier},
    {RefusalKind::kBlockedFactor, &Sentences::BlockedFactor},
    {RefusalKind::kOverflow, &Sentences::Overflow},
    {RefusalKind::kConflictingSources, &Sentences::ConflictingSources},
    {RefusalKind::kBehindRefusedAxis, &Sentences::BehindRefusedAxis},
    {RefusalKind::kExplicitlyReplicated, &Sentences::ExplicitlyReplicated},
    {RefusalKind::kUnreduced, &Sentences::Unreduced},
    {RefusalKind::kClosedDimension, &Sentences::ClosedDimension},
    {RefusalKind::kNotDivisible, &Sentences::NotDivisible},
    {RefusalKind::kAxisInUse, &Sentences::AxisInUse},
    {RefusalKind::kLostConflict, &Sentences::LostConflict},
    {RefusalKind::kResultCap, &Sentences::ResultCap},
    {RefusalKind::kStridedView, &Sentences::StridedView},
    {RefusalKind::kOverwritten, &Sentences::Overwritten},
    {RefusalKind::kStaleCall, &Sentences::StaleCall},
    {RefusalKind::kLaterUserPriority, &Sentences::LaterUserPriority},
    {RefusalKind::kEarlierLevel, &Sentences::EarlierLevel},
    {RefusalKind::kNoRule, &Sentences::NoRule},
    {RefusalKind::kPredicateConditional, &Sentences::PredicateConditional},
    {RefusalKind::kNoSharedFactor, &Sentences::NoSharedFactor},
    {RefusalKind::kBoundaryNotDivisible, &Sentences::BoundaryNotDivisible},
    {RefusalKind::kBoundarySubAxis, &Sentences::BoundarySubAxis},
    {RefusalKind::kReshardedForOp, &Sentences::ReshardedForOp},
    {RefusalKind::kConstantCopy, &Sentences::ConstantCopy},
    {RefusalKind::kDeadCode, &Sentences::DeadCode},
    {RefusalKind::kNotATensorOfPropagation, &Sentences::NotATensor},
    {RefusalKind::kSizeOneAxis, &Sentences::SizeOneAxis},
    {RefusalKind::kNeverRequested, &Sentences::NeverRequested},
    {RefusalKind::kAnnotationIgnored, &Sentences::AnnotationIgnored},
    {RefusalKind::kUnreachable, &Sentences::Unreachable},
};

std::string Sentences::Message() const {
  for (const Row& row : kRows) {
    if (row.kind == r_.kind) return (this->*row.sentence)();
  }
  return "tessera does not know why: please report it";
}

// Where the axis stands and the op that did not bring it: "from x dim 0 by y (..)->(..) factor i".
std::string WishText(const Explained& e, const Labels& labels, const Refusal& r) {
  if (r.factor < 0 || r.from.slot < 0) return "";
  const auto* rule = r.actor.op == kNone ? nullptr : e.log->RuleOf(r.actor.op);
  const std::string place = labels.Place(labels.InstructionOfOp(r.actor.op));
  return absl::StrCat(
      " from ", labels.At(r.from), " dim ", r.from.dim, " by ",
      labels.Op(r.actor.op, r.actor.output),
      rule == nullptr ? "" : absl::StrCat(" ", Labels::Rule(*rule), " factor ",
                                          Labels::Factor(r.factor)),
      place.empty() ? "" : "  ", place);
}

// x dim 0 | s dim 0 -> k dim 0 -> y dim 0
std::string PathText(const Labels& labels, const Verdict& verdict) {
  constexpr size_t kMostShown = 6;
  std::string text;
  const size_t size = verdict.path.size();
  for (size_t i = 0; i < size; ++i) {
    const bool is_left_out = size > kMostShown && i >= kMostShown / 2 && i + kMostShown / 2 < size;
    if (is_left_out) {
      if (i == kMostShown / 2) absl::StrAppend(&text, " -> ..");
      continue;
    }
    absl::StrAppend(&text, i == 0 ? "" : i == 1 ? " | " : " -> ", labels.At(verdict.path[i]),
                    " dim ", verdict.path[i].dim);
  }
  return text;
}

// All behind "'a' is not on dim 0".
std::string WordsOf(const Explained& e, const Labels& labels, const Verdict& verdict) {
  const Refusal& headline = verdict.headline;
  const std::string message = RefusalMessage(e, labels, headline);
  std::string text = absl::StrCat(" (", KindWord(headline.kind), ")");
  const std::string wish = WishText(e, labels, headline);
  absl::StrAppend(&text, wish.empty() ? ": " : absl::StrCat(": it did not come", wish, "\n  "),
                  message, "\n");
  if (verdict.path.size() > 2 && headline.kind != RefusalKind::kNoSharedFactor) {
    absl::StrAppend(&text, "  the nearest way, ", verdict.distance, " steps: ",
                    PathText(labels, verdict), "\n");
  }
  constexpr size_t kMostAlso = 4;
  for (const Refusal& also : absl::MakeConstSpan(verdict.also).subspan(0, kMostAlso)) {
    absl::StrAppend(&text, "  also (", KindWord(also.kind), "): not", WishText(e, labels, also),
                    "\n    ", RefusalMessage(e, labels, also), "\n");
  }
  if (verdict.also.size() > kMostAlso) {
    absl::StrAppend(&text, "  and at ", verdict.also.size() - kMostAlso, " more operations\n");
  }
  return text;
}

}  // namespace

std::string RefusalMessage(const Explained& explained, const Labels& labels,
                           const Refusal& refusal) {
  return Sentences(explained, labels, refusal).Message();
}

std::string AskedAxisText(const AskedAxis& axis) {
  if (axis.size == 0) return absl::StrCat("'", axis.name, "'");
  return absl::StrCat("'", axis.name, "':(", axis.pre, ")", axis.size);
}

bool NeedsNoCure(const Verdict& verdict) {
  return verdict.headline.kind == RefusalKind::kNeverRequested ||
         verdict.headline.kind == RefusalKind::kSizeOneAxis;
}

std::string VerdictsText(const Explained& e, const Labels& labels,
                         const std::vector<Verdict>& verdicts) {
  // What is said, in the order in which it is said first, and of which axes.
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  for (const Verdict& verdict : verdicts) {
    std::string words = WordsOf(e, labels, verdict);
    const auto known =
        absl::c_find_if(said, [&](const auto& other) { return other.first == words; });
    if (known != said.end()) {
      known->second.push_back(AskedAxisText(verdict.axis));
    } else {
      said.push_back({std::move(words), {AskedAxisText(verdict.axis)}});
    }
  }
  std::string text;
  for (const auto& [words, axes] : said) {
    absl::StrAppend(&text, absl::StrJoin(axes, ", "), axes.size() == 1 ? " is" : " are",
                    " not on dim ", verdicts.front().dim, words);
  }
  return text;
}

}  // namespace tessera::pipeline
