// File: projection/cost/memory/profile_picture.h
//
// Memory over the steps of a program, drawn.
//
//   DrawProfile(report.profile, names) // a bar for each step, the peak with a '!'
#ifndef TESSERA_PROJECTION_COST_MEMORY_PROFILE_PICTURE_H_
#define TESSERA_PROJECTION_COST_MEMORY_PROFILE_PICTURE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

// Bars over the program, at most 60 steps: more are put together, each bar the largest of its
// steps. `names`: of each step.
std::string DrawProfile(const MemoryProfile& profile, absl::Span<const std::string> names);
// The same as a page, each bar stacked from the ten largest buffers at the peak and the rest; the
// padding of a buffer is hatched. `padding`: of each buffer of the profile, or empty.
std::string SvgOfProfile(const MemoryProfile& profile, absl::Span<const std::string> names,
                         absl::Span<const int64_t> padding = {});

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_PROFILE_PICTURE_H_
