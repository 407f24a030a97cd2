// The rival of an axis: the annotation whose axis is in its way.
//
//   // 'a' did not come to y dim 0, since w P(None, 'a') brought it to dim 1
//   FindRival(log, refusal, {"a"});   // {the annotation of w, 'a'}

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_RIVAL_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_RIVAL_H_

#include <cstdint>
#include <optional>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct Rival {
  int32_t annotation = sharding::explain::kNoIndex;
  sharding::AxisRef axis;
};

// The axis of the question, as an axis of that mesh; none if the mesh has no such axis.
std::optional<sharding::AxisRef> AxisAsked(const sharding::explain::AskedAxis& asked,
                                           const sharding::Mesh& mesh);

// The annotation whose axis is refused.
std::optional<Rival> FindOwn(const sharding::explain::EventLog& log,
                             const sharding::explain::Refusal& refusal);

// None where no annotation is in the way.
std::optional<Rival> FindRival(const sharding::explain::EventLog& log,
                               const sharding::explain::Refusal& refusal,
                               const sharding::explain::AskedAxis& asked);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_RIVAL_H_
