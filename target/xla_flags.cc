#include "tessera/target/xla_flags.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

// What each decides is in the table of docs/targets.md, which xla_flags_test.cc compares with this one.
constexpr XlaFlagRow kRows[] = {
    {Platform::kGpu, "xla_gpu_all_gather_combine_threshold_bytes",
     &XlaFlags::all_gather_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_all_reduce_combine_threshold_bytes",
     &XlaFlags::all_reduce_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_reduce_scatter_combine_threshold_bytes",
     &XlaFlags::reduce_scatter_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_collective_permute_combine_threshold_bytes",
     &XlaFlags::collective_permute_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_while_loop_all_reduce_dus_code_motion_max_size_bytes",
     &XlaFlags::all_reduce_dus_code_motion_max_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_enable_all_gather_combine_by_dim", nullptr,
     &XlaFlags::all_gather_combine_by_dim},
    {Platform::kGpu, "xla_gpu_enable_reduce_scatter_combine_by_dim", nullptr,
     &XlaFlags::reduce_scatter_combine_by_dim},
    {Platform::kGpu, "xla_gpu_enable_reassociation_for_converted_ar", nullptr,
     &XlaFlags::reassociation_for_converted_all_reduce},
    {Platform::kTpu, "xla_jf_spmd_threshold_for_windowed_einsum_mib",
     &XlaFlags::tpu_windowed_einsum_threshold_mib, nullptr},
    {Platform::kTpu, "xla_tpu_enable_windowed_einsum_for_all_gather", nullptr,
     &XlaFlags::tpu_windowed_einsum_for_all_gather},
    {Platform::kTpu, "xla_tpu_enable_windowed_einsum_for_reduce_scatter", nullptr,
     &XlaFlags::tpu_windowed_einsum_for_reduce_scatter},
    {Platform::kTpu, "xla_tpu_spmd_bidirectional_windowed_einsum", nullptr,
     &XlaFlags::tpu_bidirectional_windowed_einsum},
    {Platform::kTpu, "xla_tpu_skip_checking_windowed_einsum_users", nullptr,
     &XlaFlags::tpu_skip_checking_windowed_einsum_users},
    {Platform::kTpu, "xla_tpu_enable_all_reduce_scatter_fusion", nullptr,
     &XlaFlags::tpu_all_reduce_scatter_fusion},
    {Platform::kTpu, "xla_jf_crs_combiner_threshold_in_bytes",
     &XlaFlags::tpu_all_reduce_combine_threshold_bytes, nullptr},
    {Platform::kTpu, "xla_jf_crs_combiner_threshold_count",
     &XlaFlags::tpu_all_reduce_combine_threshold_count, nullptr},
};

absl::Status ErrorOf(absl::string_view flag, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("--xla-flags: ", flag, ": ", message));
}

absl::StatusOr<const XlaFlagRow*> FindRow(absl::string_view flag, absl::string_view name,
                                          Platform platform) {
  std::vector<absl::string_view> names;
  for (const XlaFlagRow& row : kRows) {
    if (row.platform != platform) continue;
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  return ErrorOf(flag, absl::StrCat("what this flag does is not modelled; modelled are ",
                                    absl::StrJoin(names, ", ")));
}

absl::Status Set(absl::string_view flag, Platform platform, XlaFlags* flags) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(absl::StripPrefix(flag, "--"), absl::MaxSplits('=', 1));
  TESSERA_ASSIGN_OR_RETURN(const XlaFlagRow* const row, FindRow(flag, parts.first, platform));
  const bool has_value = absl::StrContains(flag, '=');
  if (row->number != nullptr) {
    int64_t number = 0;
    const int64_t least = platform == Platform::kTpu ? -1 : 0;
    if (!absl::SimpleAtoi(parts.second, &number) || number < least) {
      return ErrorOf(flag, absl::StrCat("expected a number, ", least, " or more"));
    }
    flags->*row->number = number;
    return absl::OkStatus();
  }
  bool value = true;
  if (has_value && !absl::SimpleAtob(parts.second, &value)) {
    return ErrorOf(flag, "expected true or false");
  }
  flags->*row->flag = value;
  return absl::OkStatus();
}

}  // namespace

std::string XlaFlagRow::ValueIn(const XlaFlags& flags) const {
  if (number != nullptr) return absl::StrCat(flags.*number);
  return flags.*flag ? "true" : "false";
}

absl::Span<const XlaFlagRow> XlaFlagRows() { return kRows; }

absl::StatusOr<XlaFlags> ParseXlaFlags(absl::string_view text, Platform platform) {
  XlaFlags flags;
  for (const absl::string_view flag :
       absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    TESSERA_RETURN_IF_ERROR(Set(flag, platform, &flags));
  }
  return flags;
}

}  // namespace tessera::target
