#include "tessera/sharding/reference/reference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/sharding/reference/behavior_table.h"

namespace tessera::sharding::reference {
namespace {

constexpr absl::string_view kKnown[] = {kNewest,  "0.12.0", "0.11.2", "0.11.1", "0.11.0",  "0.10.2",
                                        "0.10.1", "0.10.0", "0.9.2",  "0.9.1",  "0.9.0.1", "0.9.0",
                                        "0.8.3",  "0.8.2",  "0.8.0",  "0.7.2"};

struct Refused {
  absl::string_view version;
  absl::string_view why;
};

constexpr Refused kRefused[] = {
    {"0.8.1",
     "it ranks explicit reshards by an estimate of communication that no other release has"},
    {"0.7.1", "it writes manual computations without calls"},
    {"0.7.0", "it writes manual computations without calls"},
};

using Numbers = std::vector<int64_t>;

// "0.12.0.1" -> 0, 12, 0, 1; empty if it is no version.
Numbers ParseVersion(absl::string_view text) {
  Numbers numbers;
  for (absl::string_view part : absl::StrSplit(text, '.')) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(part, &number) || number < 0) return {};
    numbers.push_back(number);
  }
  return numbers;
}

bool BeginsWith(const Numbers& version, const Numbers& prefix) {
  return prefix.size() <= version.size() &&
         std::equal(prefix.begin(), prefix.end(), version.begin());
}

Reference Make(absl::string_view version) {
  Reference reference;
  reference.version = std::string(version);
  const Numbers numbers = ParseVersion(version);
  for (const Behavior& row : BehaviorTable()) {
    if (numbers < ParseVersion(row.since)) row.revert(&reference.behaviors);
  }
  return reference;
}

absl::Status Unknown(absl::string_view version, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("reference '", version, "' ", why, "; known are ", absl::StrJoin(kKnown, ", ")));
}

}  // namespace

absl::StatusOr<Reference> FindReference(absl::string_view version) {
  const Numbers numbers = ParseVersion(version);
  if (numbers.empty()) return Unknown(version, "is not a version such as 0.10.2");
  for (const Refused& refused : kRefused) {
    if (version == refused.version) {
      return Unknown(version, absl::StrCat("is not supported: ", refused.why));
    }
  }
  for (absl::string_view known : kKnown) {
    if (known == version) return Make(known);
  }
  for (absl::string_view known : kKnown) {
    if (BeginsWith(ParseVersion(known), numbers)) return Make(known);
  }
  if (numbers < ParseVersion(kNewest)) return Unknown(version, "is not a known version of jaxlib");
  Reference newest = Make(kNewest);
  newest.note = absl::StrCat("note: jaxlib ", version, " is newer than ", kNewest,
                             ", the newest that is known; taken as that\n");
  return newest;
}

absl::Span<const absl::string_view> KnownVersions() { return kKnown; }

}  // namespace tessera::sharding::reference
