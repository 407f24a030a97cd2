// File: projection/cost/demand/traffic_picture.h
//
// Who sends how much to whom, drawn.
//
//   DrawTraffic(volume, 4)              // as a table, the most with a '!'
//   SvgOfTorus(torus, messages)         // devices on their torus, links as thick as they are busy
#ifndef TESSERA_PROJECTION_COST_DEMAND_TRAFFIC_PICTURE_H_
#define TESSERA_PROJECTION_COST_DEMAND_TRAFFIC_PICTURE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/cost/network/collective_time.h"

namespace tessera::projection {

// Bytes from device to device, row-major source * devices + target; beyond 16 devices the ten
// largest pairs as a list.
std::string DrawTraffic(absl::Span<const int64_t> volume, int64_t devices);
// Bytes on links, the busiest first and marked.
std::string DrawLinks(const RoutedTraffic& traffic);
// The matrix as a page, darker for more, the most in red; every square has its bytes as a title.
std::string SvgOfTraffic(absl::Span<const int64_t> volume, int64_t devices);
// The messages on their routes: planes of the last two axes beside each other, the busiest link in
// red with its bytes. Beyond 64 devices the matrix. kOverflow.
absl::StatusOr<std::string> SvgOfTorus(const Torus& torus, absl::Span<const Message> messages);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_TRAFFIC_PICTURE_H_
