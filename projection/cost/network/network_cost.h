// The cost of a collective on links.
#ifndef TESSERA_PROJECTION_COST_NETWORK_NETWORK_COST_H_
#define TESSERA_PROJECTION_COST_NETWORK_NETWORK_COST_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace tessera::projection {

struct LinkUse {
  int64_t steps = 0;
  int64_t busiest_link_bytes = 0;
};

// "1 step, 1024 bytes".
inline std::string StepsAndBytes(const LinkUse& use) {
  return absl::StrCat(use.steps, use.steps == 1 ? " step, " : " steps, ", use.busiest_link_bytes,
                      " bytes");
}

struct LinkSpeed {
  double alpha_s = 0;
  double bytes_per_s = 0;
};
inline double Seconds(const LinkUse& use, const LinkSpeed& speed) {
  return static_cast<double>(use.steps) * speed.alpha_s +
         static_cast<double>(use.busiest_link_bytes) / speed.bytes_per_s;
}

struct NetworkCost {
  LinkUse use;
  std::string formula;            // "ring of 4: 2 steps, 1024 bytes on the busiest link"
  std::optional<double> seconds;  // none: the topology has no bandwidth
};

// Adds what happens after the rest.
inline void AddPhase(const NetworkCost& phase, NetworkCost* cost) {
  cost->use.steps += phase.use.steps;
  cost->use.busiest_link_bytes =
      std::max(cost->use.busiest_link_bytes, phase.use.busiest_link_bytes);
  absl::StrAppend(&cost->formula, cost->formula.empty() ? "" : "; ", phase.formula);
  cost->seconds = cost->seconds.has_value() && phase.seconds.has_value()
                      ? std::optional<double>(*cost->seconds + *phase.seconds)
                      : std::nullopt;
}

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_NETWORK_COST_H_
