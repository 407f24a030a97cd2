// File: projection/cost/cost_picture.h
//
// Traffic and memory, drawn.
//
//   DrawTraffic(volume, 4)             // who sends how much to whom, the most with a '!'
//   DrawProfile(report.profile, names) // a bar for each step of a program, the peak with a '!'
#ifndef TESSERA_PROJECTION_COST_COST_PICTURE_H_
#define TESSERA_PROJECTION_COST_COST_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/projection/cost/collective_time.h"
#include "tessera/projection/cost/liveness.h"

namespace tessera::projection {

// Bytes from device to device, row-major source * devices + target; beyond 16 devices the ten
// largest pairs as a list.
std::string DrawTraffic(absl::Span<const int64_t> volume, int64_t devices);
// Bytes on links, the busiest first and marked.
std::string DrawLinks(const RoutedTraffic& traffic);
// The matrix as a page, darker for more, the most in red; every square has its bytes as a title.
std::string SvgOfTraffic(absl::Span<const int64_t> volume, int64_t devices);

// Bars over the program, at most 60 steps: more are put together, each bar the largest of its
// steps.
std::string DrawProfile(const MemoryProfile& profile, absl::Span<const std::string> names);
// The same as a page, each bar stacked from the ten largest buffers at the peak and the rest.
std::string SvgOfProfile(const MemoryProfile& profile, absl::Span<const std::string> names);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COST_PICTURE_H_
