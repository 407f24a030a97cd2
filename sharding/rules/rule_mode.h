// File: rule_mode.h
//
// What changes the rules of all ops at once.

#ifndef TESSERA_SHARDING_RULES_RULE_MODE_H_
#define TESSERA_SHARDING_RULES_RULE_MODE_H_

#include <cstdint>

namespace tessera::sharding::rules {

// Which of the two published rules for `scan` counts.
enum class ScanVersion : uint8_t {
  kJaxlib0_10_2,   // needs replication along the scan only; what the installed XLA does
  kXla2026_08_07,  // also elsewhere, unless the body is element-wise
};

struct RuleMode {
  // Never lets a sharding through where its axes might not divide a dimension evenly: concatenate,
  // convolution, pad, reduce-window, select-and-scatter, slice. XLA sets it for modules under
  // automatic SPMD partitioning.
  bool conservative = false;
  ScanVersion scan = ScanVersion::kJaxlib0_10_2;
};

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULE_MODE_H_
