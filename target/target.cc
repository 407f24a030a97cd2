#include "tessera/target/target.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/text/checked.h"
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr absl::string_view kSlices = ":slices=";

// More devices than any machine has; no product of three sizes overflows.
constexpr int64_t kMaxDevices = int64_t{1} << 20;

absl::Status ErrorOf(absl::string_view text, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("--target=", text, ": ", message));
}

std::string LettersOf(absl::string_view name) {
  std::string letters;
  absl::c_copy_if(name, std::back_inserter(letters), absl::ascii_isalnum);
  return absl::AsciiStrToLower(letters);
}

// Empty if the text is no list of sizes.
std::vector<int64_t> SizesOf(absl::string_view text) {
  std::vector<int64_t> sizes;
  for (const absl::string_view part : absl::StrSplit(text, 'x')) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 1) return {};
    sizes.push_back(size);
  }
  return sizes;
}

// The topology that a mistaken name ends with: ":8" of "h100x8", ":4x4" of "v5e-4x4", else empty. Cloud names count
// the cores of some TPUs and the chips of others ("v5p-16"), so a single size of theirs says nothing.
std::string TopologyIn(absl::string_view name, absl::string_view known) {
  const bool is_tpu = absl::ConsumePrefix(&known, "tpu-");
  const size_t at = absl::AsciiStrToLower(name).find(std::string(known));
  if (at == std::string::npos) return "";
  absl::string_view rest = name.substr(at + known.size());
  while (!rest.empty() && !absl::ascii_isdigit(rest[0])) rest.remove_prefix(1);
  const size_t sides = SizesOf(rest).size();
  return sides > (is_tpu ? 1 : 0) ? absl::StrCat(":", rest) : "";
}

// "v5e", "tpu_v5e" and "tpu-v5e-16" are near to tpu-v5e, and "tpu-v7" to tpu7x: with `topology`, such as ":4x4", or the
// one that the name ends with. A name that is only spelled nearly alike is shown without it.
std::string DidYouMean(absl::string_view name, absl::string_view topology,
                       absl::Span<const absl::string_view> names) {
  std::string letters = LettersOf(name);
  if (absl::StartsWith(letters, "tpuv7")) letters.erase(3, 1);
  if (absl::StrContains(letters, "v5lite")) letters = "v5e";
  absl::string_view near;  // the longest: "gb200x4" has b200 in it, too
  for (const absl::string_view known : names) {
    const std::string other = LettersOf(known);
    const std::string of_chip = absl::StartsWith(other, "tpu") ? other.substr(3) : other;
    const bool is_near = absl::StrContains(other, letters) || absl::StrContains(letters, of_chip);
    if (letters.size() > 1 && is_near && known.size() > near.size()) near = known;
  }
  if (near.empty()) return text::DidYouMean(name, names);
  return absl::StrCat(", did you mean '", near,
                      topology.empty() ? TopologyIn(name, near) : topology, "'?");
}

absl::StatusOr<const Chip*> FindChip(absl::string_view text, absl::string_view name) {
  const absl::string_view topology = text.substr(name.size());
  std::vector<absl::string_view> names;
  for (const Chip& chip : Chips()) {
    if (chip.name == name) return &chip;
    names.push_back(chip.name);
  }
  return ErrorOf(text,
                 absl::StrCat("no chip is named '", name, "'", DidYouMean(name, topology, names),
                              "; known are ", absl::StrJoin(names, ", ")));
}

constexpr int64_t kDevicesOfHost = 8;

bool IsMoreThanAHost(const Chip& chip, int64_t devices) {
  return chip.hosts == Hosts::kOfEight && devices > kDevicesOfHost && devices % kDevicesOfHost == 0;
}

// The target of 8 chips: "tpu-v5e:2x4". Empty for a number that is no power of two.
std::string TorusOf(const Chip& chip, int64_t chips) {
  std::vector<int64_t> sides(static_cast<size_t>(chip.torus_sides), 1);
  if (chips < 2) return "";
  for (; chips % 2 == 0; chips /= 2) *absl::c_min_element(sides) *= 2;
  absl::c_sort(sides);
  return chips == 1 ? absl::StrCat(chip.name, ":", absl::StrJoin(sides, "x")) : "";
}

// "the topology is the 2 sides of the torus: 8 chips are tpu-v5e:2x4".
std::string TorusExpected(const Chip& chip, const std::vector<int64_t>& given) {
  const std::string what =
      absl::StrCat("the topology is the ", chip.torus_sides, " sides of the torus");
  const std::string torus = given.size() == 1 ? TorusOf(chip, given[0]) : "";
  return torus.empty()
             ? absl::StrCat(what, ", as in ", chip.name, chip.torus_sides == 2 ? ":4x4" : ":2x2x4")
             : absl::StrCat(what, ": ", given[0], " chips are ", torus);
}

// A target of this chip with as many devices; empty if there is no obvious one. A host of eight GPUs is an NVLink domain.
std::string TargetOf(const Chip& chip, int64_t devices) {
  if (chip.platform == Platform::kTpu) return TorusOf(chip, devices / chip.chip_devices);
  return IsMoreThanAHost(chip, devices)
             ? absl::StrCat(chip.name, ":", devices / kDevicesOfHost, "x1x", kDevicesOfHost)
             : absl::StrCat(chip.name, ":", devices);
}

bool AreTooMany(absl::Span<const int64_t> sizes) {
  int64_t devices = 1;
  return absl::c_any_of(sizes, [&](int64_t size) {
    return !MultiplyFits(devices, size, &devices) || devices > kMaxDevices;
  });
}

absl::Status ReadTopology(absl::string_view text, absl::string_view sizes, Target* target) {
  const Chip& chip = *target->chip;
  target->topology = SizesOf(sizes);
  if (AreTooMany(target->topology)) {
    return ErrorOf(text, absl::StrCat("a target has at most ", kMaxDevices, " devices"));
  }
  const size_t sides = target->topology.size();
  switch (chip.platform) {
    case Platform::kCpu:
      return ErrorOf(text, "a CPU has no topology; write --target=cpu");
    case Platform::kGpu:
      if (sides == 1 && IsMoreThanAHost(chip, target->topology[0])) {
        return ErrorOf(text, absl::StrCat("one host has 8 devices; expected ",
                                          TargetOf(chip, target->topology[0]), " for ",
                                          target->topology[0] / kDevicesOfHost, " hosts"));
      }
      if (sides == 1) target->topology.insert(target->topology.begin(), {1, 1});
      if (sides == 1 || sides == 3) return absl::OkStatus();
      return ErrorOf(text, absl::StrCat("the topology of a GPU is NVLink domains x hosts x devices "
                                        "of a host, as in ",
                                        chip.name, ":1x1x8, or ", chip.name, ":8 for one host"));
    case Platform::kTpu:
      if (sides == static_cast<size_t>(chip.torus_sides)) return absl::OkStatus();
      return ErrorOf(text, TorusExpected(chip, target->topology));
  }
  return absl::OkStatus();
}

// The topology in front of ":slices=", and how many slices there are.
absl::Status ReadSlices(absl::string_view text, absl::string_view sizes, Target* target) {
  const size_t at = sizes.find(kSlices);
  TESSERA_RETURN_IF_ERROR(ReadTopology(text, sizes.substr(0, at), target));
  if (at == absl::string_view::npos) return absl::OkStatus();
  if (target->chip->platform != Platform::kTpu) {
    return ErrorOf(text, "only TPUs have slices; the first size of a GPU is its NVLink domains");
  }
  const std::vector<int64_t> slices = SizesOf(sizes.substr(at + kSlices.size()));
  if (slices.size() != 1 || slices[0] > kMaxDevices / target->num_devices()) {
    return ErrorOf(text, absl::StrCat("expected the number of slices, as in ", target->ToString(),
                                      kSlices, "2"));
  }
  target->slices = slices[0];
  return absl::OkStatus();
}

// Of TPUs, several slices with as many devices: more of the same torus, or as many of a smaller one. Empty if there are none.
std::string OtherSlices(const Target& target, int64_t devices) {
  if (target.chip->platform != Platform::kTpu) return "";
  Target more = target;
  more.slices = devices / target.slice_devices();
  if (more.slices > 1 && more.num_devices() == devices) return more.ToString();
  if (target.slices == 1 || devices % target.slices != 0) return "";
  const std::string torus = TargetOf(*target.chip, devices / target.slices);
  return torus.empty() ? "" : absl::StrCat(torus, kSlices, target.slices);
}

}  // namespace

std::string NotComparedText(const Chip& chip) {
  if (chip.is_compared) return "";
  std::vector<absl::string_view> compared;
  for (const Chip& other : Chips()) {
    if (other.is_compared && other.platform == chip.platform) compared.push_back(other.name);
  }
  return absl::StrCat(" on ", absl::StrJoin(compared, ", "), "; ", chip.name, " was not compared");
}

int64_t Target::num_devices() const {
  if (topology.empty()) return 0;
  int64_t devices = slices * chip->chip_devices;
  for (const int64_t size : topology) devices *= size;
  return devices;
}

absl::Status CheckNumDevices(const Target& target, int64_t devices, absl::string_view whose) {
  if (target.num_devices() == 0 || target.num_devices() == devices) return absl::OkStatus();
  std::vector<std::string> fitting;
  if (std::string one = TargetOf(*target.chip, devices); !one.empty()) fitting.push_back(one);
  if (std::string other = OtherSlices(target, devices); !other.empty()) fitting.push_back(other);
  return absl::InvalidArgumentError(absl::StrCat(
      "--target=", target.ToString(), " has ", target.num_devices(), " devices, ", whose, " ",
      devices, fitting.empty() ? "" : "; expected ", absl::StrJoin(fitting, " or ")));
}

absl::Status CheckCompiledDevices(const Target& target, int64_t devices, absl::string_view whose) {
  if (target.slices > 1 && devices == target.slice_devices()) return absl::OkStatus();
  return CheckNumDevices(target, devices, whose);
}

std::string Target::TopologyText() const {
  const std::string sides = absl::StrJoin(topology, "x");
  return slices == 1 ? sides : absl::StrCat(sides, kSlices, slices);
}

std::string Target::ToString() const {
  return topology.empty() ? std::string(chip->name) : absl::StrCat(chip->name, ":", TopologyText());
}

absl::StatusOr<const Chip*> ParseChip(absl::string_view text) {
  const absl::string_view name = text.substr(0, text.find(':'));
  if (name.size() == text.size()) return FindChip(text, name);
  TESSERA_ASSIGN_OR_RETURN(const Target target, ParseTarget(text));
  return target.chip;
}

absl::StatusOr<Target> ParseTarget(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  Target target;
  TESSERA_ASSIGN_OR_RETURN(target.chip, FindChip(text, parts.first));
  const bool has_topology = parts.first.size() < text.size();
  if (!has_topology && target.chip->platform == Platform::kCpu) return target;
  TESSERA_RETURN_IF_ERROR(ReadSlices(text, parts.second, &target));
  return target;
}

}  // namespace tessera::target
