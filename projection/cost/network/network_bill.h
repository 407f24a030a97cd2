// What a collective costs on links.
#ifndef TESSERA_PROJECTION_COST_NETWORK_NETWORK_BILL_H_
#define TESSERA_PROJECTION_COST_NETWORK_NETWORK_BILL_H_

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::projection {

struct LinkUse {
  int64_t steps = 0;
  int64_t busiest_link_bytes = 0;
};

struct LinkSpeed {
  double alpha_s = 0;
  double bytes_per_s = 0;
};
inline double Seconds(const LinkUse& use, const LinkSpeed& speed) {
  return static_cast<double>(use.steps) * speed.alpha_s +
         static_cast<double>(use.busiest_link_bytes) / speed.bytes_per_s;
}

struct NetworkBill {
  LinkUse use;
  std::string formula;            // "ring of 4: 2 steps, 1024 bytes on the busiest link"
  std::optional<double> seconds;  // none: the topology has no bandwidth
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_NETWORK_BILL_H_
