#include "tessera/target/xla_flags.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

// What each decides is in the table of docs/targets.md, which xla_flags_test.cc compares with this one.
constexpr XlaFlagRow kRows[] = {
    {Platform::kGpu, "xla_gpu_all_gather_combine_threshold_bytes",
     &XlaFlags::gpu_all_gather_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_all_reduce_combine_threshold_bytes",
     &XlaFlags::gpu_all_reduce_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_reduce_scatter_combine_threshold_bytes",
     &XlaFlags::gpu_reduce_scatter_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_collective_permute_combine_threshold_bytes",
     &XlaFlags::gpu_collective_permute_combine_threshold_bytes, nullptr},
    {Platform::kGpu, "xla_while_loop_all_reduce_dus_code_motion_max_size_bytes",
     &XlaFlags::all_reduce_dus_code_motion_max_bytes, nullptr},
    {Platform::kGpu, "xla_gpu_enable_all_gather_combine_by_dim", nullptr,
     &XlaFlags::gpu_all_gather_combine_by_dim},
    {Platform::kGpu, "xla_gpu_enable_reduce_scatter_combine_by_dim", nullptr,
     &XlaFlags::gpu_reduce_scatter_combine_by_dim},
    {Platform::kGpu, "xla_gpu_enable_reassociation_for_converted_ar", nullptr,
     &XlaFlags::gpu_reassociation_for_converted_all_reduce},
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

absl::string_view NameOf(Platform platform) { return platform == Platform::kTpu ? "TPUs" : "GPUs"; }

// The platform of a flag: by the table, else by its prefix.
std::optional<Platform> PlatformOf(absl::string_view name) {
  for (const XlaFlagRow& row : kRows) {
    if (row.name == name) return row.platform;
  }
  if (absl::StartsWith(name, "xla_gpu_")) return Platform::kGpu;
  if (absl::StartsWith(name, "xla_tpu_") || absl::StartsWith(name, "xla_jf_")) {
    return Platform::kTpu;
  }
  return std::nullopt;
}

// Prefixes of flags.
constexpr absl::string_view kDecideNothing[] = {
    "xla_cpu_",        "xla_dump_",
    "xla_gpu_dump_",   "xla_gpu_cuda_data_dir",
    "xla_hlo_profile", "xla_force_host_platform_device_count",
    "xla_jf_dump_",    "xla_tpu_dump_",
};

bool DecidesNothing(absl::string_view name) {
  return std::any_of(std::begin(kDecideNothing), std::end(kDecideNothing),
                     [&](absl::string_view begin) { return absl::StartsWith(name, begin); });
}

bool IsModelled(absl::string_view name) {
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const XlaFlagRow& row) { return row.name == name; });
}

absl::StatusOr<const XlaFlagRow*> FindRow(absl::string_view flag, absl::string_view name,
                                          Platform platform) {
  std::vector<absl::string_view> names;
  for (const XlaFlagRow& row : kRows) {
    if (row.platform != platform) continue;
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  if (PlatformOf(name).value_or(platform) != platform) {
    return ErrorOf(flag, absl::StrCat("a flag of ", NameOf(*PlatformOf(name)),
                                      ", and --target is one of ", NameOf(platform)));
  }
  return ErrorOf(flag,
                 absl::StrCat("what this flag does is not modelled", text::DidYouMean(name, names),
                              "; modelled are ", absl::StrJoin(names, ", ")));
}

// XLA takes a value out of its quotes; libtpu knows no quotes.
absl::string_view WithoutQuotes(absl::string_view value, Platform platform) {
  const bool is_quoted = platform == Platform::kGpu && value.size() > 1 &&
                         (value.front() == '\'' || value.front() == '"') &&
                         value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

// XLA reads true, false, 1 and 0, libtpu also yes, no and first letters.
bool ReadTruth(absl::string_view text, Platform platform, bool* value) {
  if (platform == Platform::kTpu) return absl::SimpleAtob(text, value);
  *value = absl::EqualsIgnoreCase(text, "true") || text == "1";
  return *value || absl::EqualsIgnoreCase(text, "false") || text == "0";
}

// Of a flag of TPUs only -1 is known to mean something below zero.
bool ReadNumber(absl::string_view text, Platform platform, int64_t* number) {
  return absl::SimpleAtoi(text, number) && (platform == Platform::kGpu || *number >= -1);
}

absl::Status Set(absl::string_view flag, Platform platform, XlaFlags* flags,
                 SkippedXlaFlags* skipped) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(flag, absl::MaxSplits('=', 1));
  absl::string_view name = parts.first;
  if (!absl::ConsumePrefix(&name, "--")) {
    return ErrorOf(flag, "expected a flag, which begins with --");
  }
  if (skipped != nullptr && DecidesNothing(name)) {
    skipped->harmless.push_back(std::string(flag));
    return absl::OkStatus();
  }
  if (skipped != nullptr && skipped->takes_unmodelled && !IsModelled(name) &&
      PlatformOf(name).value_or(platform) == platform) {
    skipped->unmodelled.push_back(std::string(flag));
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const XlaFlagRow* const row, FindRow(flag, name, platform));
  const absl::string_view text = WithoutQuotes(parts.second, platform);
  if (row->number != nullptr) {
    if (ReadNumber(text, platform, &(flags->*row->number))) return absl::OkStatus();
    return ErrorOf(
        flag, platform == Platform::kTpu ? "expected a number, -1 or more" : "expected a number");
  }
  if (absl::StrContains(flag, '=')) {
    if (ReadTruth(text, platform, &(flags->*row->flag))) return absl::OkStatus();
    return ErrorOf(flag, "expected true or false");
  }
  flags->*row->flag = true;
  return absl::OkStatus();
}

}  // namespace

std::string XlaFlagRow::ValueIn(const XlaFlags& flags) const {
  if (number != nullptr) return absl::StrCat(flags.*number);
  return flags.*flag ? "true" : "false";
}

absl::Span<const XlaFlagRow> XlaFlagRows() { return kRows; }

absl::StatusOr<XlaFlags> ParseXlaFlags(absl::string_view text, Platform platform,
                                       SkippedXlaFlags* skipped) {
  XlaFlags flags;
  for (const absl::string_view flag :
       absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    TESSERA_RETURN_IF_ERROR(Set(flag, platform, &flags, skipped));
  }
  return flags;
}

}  // namespace tessera::target
