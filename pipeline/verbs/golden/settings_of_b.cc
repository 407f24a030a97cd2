#include "tessera/pipeline/verbs/golden/settings_of_b.h"

#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/shard_arguments.h"

namespace tessera::pipeline {
namespace {

constexpr char kSecond[] = "b-";
constexpr absl::string_view kOfB[] = {"mesh",     "annotate",     "reference", "strategy",
                                      "schedule", "conservative", "xla-flags"};

std::vector<Flag> FlagsOfBoth() {
  std::vector<Flag> flags = PropagationFlags();
  for (Flag& flag : TargetFlags()) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace

std::vector<Flag> SettingsOfB() {
  std::vector<Flag> flags;
  for (Flag flag : FlagsOfBoth()) {
    if (!absl::c_linear_search(kOfB, flag.name)) continue;
    flag.help = absl::StrCat("of B alone, like --", flag.name);
    flag.name = absl::StrCat(kSecond, flag.name);
    flag.default_value.clear();
    flag.group.clear();
    flags.push_back(std::move(flag));
  }
  return flags;
}

Arguments ArgumentsOfB(const Arguments& arguments) {
  Arguments b;
  b.set_session(arguments.session());
  b.AddPositional(arguments.positional(arguments.positionals().size() - 1));
  for (const Flag& flag : FlagsOfBoth()) {
    const std::string own = absl::StrCat(kSecond, flag.name);
    std::vector<std::string> values = arguments.All(flag.name);
    absl::c_copy(arguments.All(own), std::back_inserter(values));
    b.Set(flag.name, std::move(values), arguments.Has(flag.name) || arguments.Has(own));
  }
  b.Set("module", {arguments.Get("module")}, arguments.Has("module"));
  return b;
}

absl::Status CheckNoSettingsOfB(const Arguments& arguments) {
  for (const Flag& flag : SettingsOfB()) {
    if (!arguments.Has(flag.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag.name, ": B is compiled; expected no settings of it"));
  }
  return absl::OkStatus();
}

}  // namespace tessera::pipeline
