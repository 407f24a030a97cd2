// XLA's flags that decide which collectives a GPU or TPU runs, with their defaults.
//
//   absl::StatusOr<XlaFlags> flags =
//       ParseXlaFlags("--xla_gpu_all_reduce_combine_threshold_bytes=1000000", Platform::kGpu);
//   flags->gpu_all_reduce_combine_threshold_bytes;     // 1000000
//   flags->gpu_all_gather_combine_threshold_bytes;     // 31457287, the default
//
// Flags are separated by blanks, as in the environment variables XLA_FLAGS and LIBTPU_INIT_ARGS, and
// values are read as XLA (of TPUs libtpu) reads them. A flag outside of the table, or of another
// platform, is an error with its name: no answer ignores a flag silently. A caller may have flags skipped
// and listed. These are flags that decide nothing of a module, such as those of dumps, and all flags of
// an environment that are not modelled.
//
// To add one: a member of XlaFlags with XLA's default, a row of kRows in xla_flags.cc, and a row of the table in
// docs/targets.md. Its reader is a pass (context.flags), a row of combiners, or TpuPartitionerOptions() for what the
// partitioner does. Tested by xla_flags_test.cc, the pass beside it.

#ifndef TESSERA_TARGET_XLA_FLAGS_H_
#define TESSERA_TARGET_XLA_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct XlaFlags {
  // GPUs set it by a flag. TPUs have the default.
  int64_t all_reduce_dus_code_motion_max_bytes = 10240;

  int64_t gpu_all_gather_combine_threshold_bytes = 31457287;
  int64_t gpu_all_reduce_combine_threshold_bytes = 31457287;
  int64_t gpu_reduce_scatter_combine_threshold_bytes = 31457287;
  int64_t gpu_collective_permute_combine_threshold_bytes = 31457287;
  bool gpu_all_gather_combine_by_dim = false;
  bool gpu_reduce_scatter_combine_by_dim = false;
  bool gpu_reassociation_for_converted_all_reduce = true;

  int64_t tpu_windowed_einsum_threshold_mib = -1;
  bool tpu_windowed_einsum_for_all_gather = true;
  bool tpu_windowed_einsum_for_reduce_scatter = true;
  bool tpu_bidirectional_windowed_einsum = true;
  bool tpu_skip_checking_windowed_einsum_users = false;
  bool tpu_all_reduce_scatter_fusion = true;
  int64_t tpu_all_reduce_combine_threshold_bytes = 120 << 20;
  int64_t tpu_all_reduce_combine_threshold_count = 256;
};

// Flags as written that an answer leaves out.
struct SkippedXlaFlags {
  std::vector<std::string> harmless;    // decide nothing of a module
  std::vector<std::string> unmodelled;  // may decide something
  bool takes_unmodelled = false;        // else they are errors
};

struct XlaFlagRow {
  Platform platform = Platform::kGpu;
  absl::string_view name;  // without the dashes
  // One of the two is set: a flag is a number or a truth value.
  int64_t XlaFlags::*number = nullptr;
  bool XlaFlags::*flag = nullptr;

  std::string ValueIn(const XlaFlags& flags) const;
};

absl::Span<const XlaFlagRow> XlaFlagRows();

// Those of one platform. InvalidArgument, which begins with --xla-flags. Flags that decide nothing are
// errors, too, or are put into `skipped`, as written.
absl::StatusOr<XlaFlags> ParseXlaFlags(absl::string_view text, Platform platform,
                                       SkippedXlaFlags* skipped = nullptr);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_XLA_FLAGS_H_
