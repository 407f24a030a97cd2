// XLA's flags that decide which collectives a GPU runs, with their defaults.
//
//   absl::StatusOr<XlaFlags> flags =
//       ParseXlaFlags("--xla_gpu_all_reduce_combine_threshold_bytes=1000000");
//   flags->all_reduce_combine_threshold_bytes;     // 1000000
//   flags->all_gather_combine_threshold_bytes;     // 31457287, the default
//
// Flags are separated by blanks, as in the environment variable XLA_FLAGS. One that is not in the
// table, or whose value is not modelled, is refused by its name: no answer passes for one that was
// made with it. Tested by xla_flags_test.cc.

#ifndef TESSERA_TARGET_XLA_FLAGS_H_
#define TESSERA_TARGET_XLA_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::target {

struct XlaFlags {
  int64_t all_gather_combine_threshold_bytes = 31457287;
  int64_t all_reduce_combine_threshold_bytes = 31457287;
  int64_t reduce_scatter_combine_threshold_bytes = 31457287;
  int64_t collective_permute_combine_threshold_bytes = 31457287;
  int64_t all_reduce_dus_code_motion_max_bytes = 10240;
  bool all_gather_combine_by_dim = false;
  bool reduce_scatter_combine_by_dim = false;
  bool reassociation_for_converted_all_reduce = true;
};

struct XlaFlagRow {
  absl::string_view name;  // without the dashes
  absl::string_view help;
  // One of them is set.
  int64_t XlaFlags::*number = nullptr;
  bool XlaFlags::*flag = nullptr;

  std::string ValueIn(const XlaFlags& flags) const;
};

absl::Span<const XlaFlagRow> XlaFlagRows();

// InvalidArgument, which begins with --xla-flags.
absl::StatusOr<XlaFlags> ParseXlaFlags(absl::string_view text);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_XLA_FLAGS_H_
