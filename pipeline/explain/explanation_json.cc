#include "google/protobuf/arena.h"
#include "tessera/pipeline/explain/event_messages.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/refusals/refusal_messages.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

void FillFixes(const Fixes& fixes, answers::Verdict* to) {
  to->set_has_fixes(true);
  for (const Fix& fix : fixes.found) {
    answers::Fix* one = to->add_fixes();
    *one->mutable_edits() = {fix.candidate.texts.begin(), fix.candidate.texts.end()};
    one->set_annotations_touched(static_cast<int32_t>(fix.candidate.edits.size()));
    one->set_tensors_changed(fix.effect.tensors_changed);
    if (fix.sent_added.has_value()) one->set_reshard_bytes_added(*fix.sent_added);
    one->set_verified(true);
  }
}

void FillDimension(const Explained& explained, const EventMessages& messages,
                   const DimensionAnswer& dim, answers::Explanation* to) {
  for (const AxisAnswer& axis : dim.axes) {
    for (const auto& chain : axis.chains) messages.FillChain(chain, to->add_why());
  }
  for (size_t i = 0; i < dim.absent.size(); ++i) {
    answers::Verdict* verdict = to->add_why_not();
    FillVerdict(explained, messages, dim.absent[i], verdict);
    FillFixes(dim.fixes[i], verdict);
  }
}

}  // namespace

std::string ExplanationJson(const Explained& explained, const Explanation& explanation,
                            SourceLines* source_lines) {
  const EventMessages messages(explained, source_lines);
  google::protobuf::Arena arena;
  auto& answer = *google::protobuf::Arena::CreateMessage<answers::Explanation>(&arena);
  messages.FillValue(explanation.slot, answer.mutable_value());
  for (const DimensionAnswer& dim : explanation.dims) {
    FillDimension(explained, messages, dim, &answer);
  }
  const sharding::ShardingId id = explained.log->PropagatedId(explanation.slot);
  if (id != sharding::kNoSharding) {
    const sharding::Mesh& mesh = explained.log->MeshOf(id);
    for (int a = 0; a < mesh.num_axes(); ++a) {
      EventMessages::FillAxis(sharding::AxisRef::Full(a), mesh, answer.add_mesh());
    }
  }
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
