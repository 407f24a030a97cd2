// Verdicts and refusals as JSON, in the form of pipeline/schema/explain_answer.proto.
//
//   BeginVerdict(explained, events, verdict, &writer);
//   writer.EndObject();

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_JSON_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_JSON_H_

#include "tessera/pipeline/explain/event_json.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

// Without its end, so that members may follow.
void BeginVerdict(const Explained& explained, const EventJson& events,
                  const sharding::explain::Verdict& verdict, text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_JSON_H_
