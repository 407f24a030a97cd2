// Verdicts and refusals as messages (pipeline/schema/explain_answer.proto).
//
//   FillVerdict(explained, EventMessages(explained), verdict, explanation.add_why_not());

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_MESSAGES_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_MESSAGES_H_

#include "tessera/pipeline/explain/event_messages.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

// Without fixes.
void FillVerdict(const Explained& explained, const EventMessages& messages,
                 const sharding::explain::Verdict& verdict, answers::Verdict* to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_MESSAGES_H_
