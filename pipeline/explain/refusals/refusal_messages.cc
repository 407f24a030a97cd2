#include "tessera/pipeline/explain/refusals/refusal_messages.h"

#include "absl/strings/str_replace.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::Refusal;
using sharding::explain::Verdict;
using sharding::propagation::kNone;

class RefusalFiller {
 public:
  RefusalFiller(const Explained& explained, const EventMessages& messages)
      : e_(explained), messages_(messages) {}

  void Fill(const Refusal& r, answers::Refusal* to) const {
    to->set_kind(KindWord(r.kind));
    if (r.factor >= 0) FillMissedUpdate(r, to->mutable_missed_update());
    if (r.axis_before.has_value()) {
      const std::string axis = sharding::QuotedAxisText(*r.axis_before, *r.mesh);
      to->set_axis_before(absl::StrReplaceAll(axis, {{"'", ""}}));
    }
    if (r.inner != nullptr) Fill(*r.inner, to->mutable_inner());
    FillEndpoints(r, to);
    FillDetails(r, to);
    to->set_message(RefusalMessage(e_, messages_.labels(), r));
  }

 private:
  void FillMissedUpdate(const Refusal& r, answers::Event* to) const {
    const int operands = messages_.OperandsOf(r.actor.op);
    if (r.refused.has_value()) EventMessages::FillTime(*r.refused, to->mutable_time());
    messages_.FillOp(r.actor.op, r.actor.output, to);
    const auto* rule = r.actor.op == kNone ? nullptr : e_.log->RuleOf(r.actor.op);
    if (rule != nullptr) to->set_rule(Labels::Rule(*rule));
    to->set_factor(Labels::Factor(r.factor));
    messages_.FillEndpoint(r.from, operands, to->add_from());
    messages_.FillEndpoint(r.to, operands, to->mutable_to());
    EventMessages::FillAxis(r.axis, *r.mesh, to->add_axes());
  }

  void FillEndpoints(const Refusal& r, answers::Refusal* to) const {
    const int operands = messages_.OperandsOf(r.actor.op);
    if (r.holder.slot >= 0) messages_.FillEndpoint(r.holder, operands, to->mutable_holder());
    if (r.winner.slot >= 0) messages_.FillEndpoint(r.winner, operands, to->mutable_winner());
    if (r.other.slot >= 0) messages_.FillEndpoint(r.other, operands, to->mutable_other());
  }

  void FillDetails(const Refusal& r, answers::Refusal* to) const {
    to->set_tie_break(TieBreakWords(r.tie_break));
    if (r.size_have > 0) to->set_size_have(r.size_have);
    if (r.size_need > 0) to->set_size_need(r.size_need);
    if (r.kept.has_value()) EventMessages::FillAxis(*r.kept, *r.mesh, to->mutable_kept());
    to->set_arrived(ArrivalWord(r.arrival));
    if (r.came.has_value()) EventMessages::FillTime(*r.came, to->mutable_blocked_by_time());
    if (r.annotation < 0) return;
    messages_.FillAnnotation(e_.log->annotations()[static_cast<size_t>(r.annotation)],
                             to->mutable_by());
  }

  const Explained& e_;
  const EventMessages& messages_;
};

// The part in the question; size 0 for a whole axis of unknown size.
void FillAxis(const AskedAxis& axis, const sharding::MeshTable& meshes, answers::AxisPart* to) {
  int64_t size = axis.size;
  for (sharding::MeshId id = 0; id < meshes.size() && size == 0; ++id) {
    const std::optional<int> found = meshes.mesh(id).FindAxis(axis.name);
    if (found.has_value()) size = meshes.mesh(id).axis_size(*found);
  }
  to->set_name(axis.name);
  to->set_pre(axis.pre);
  to->set_size(size);
}

}  // namespace

void FillVerdict(const Explained& explained, const EventMessages& messages, const Verdict& verdict,
                 answers::Verdict* to) {
  const RefusalFiller refusals(explained, messages);
  FillAxis(verdict.axis, explained.sharded->program->meshes(), to->mutable_axis());
  to->set_dimension(verdict.dim);
  to->set_kind(KindWord(verdict.headline.kind));
  refusals.Fill(verdict.headline, to->mutable_headline());
  for (const Refusal& also : verdict.also) refusals.Fill(also, to->add_also());
  to->set_distance(verdict.distance);
  for (Endpoint at : verdict.path) {
    at.tensor = sharding::explain::kNoIndex;
    messages.FillEndpoint(at, 0, to->add_path());
  }
}

}  // namespace tessera::pipeline
