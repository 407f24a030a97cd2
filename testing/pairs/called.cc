#include "tessera/testing/pairs/called.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kNaming[] = {"to_apply",
                                   "body",
                                   "condition",
                                   "calls",
                                   "branch_computations",
                                   "called_computations",
                                   "true_computation",
                                   "false_computation",
                                   "select",
                                   "scatter",
                                   "comparator"};

// Some ops have an attribute of the same name whose value is a number or a string.
bool IsNameOrList(string_view value) {
  return !value.empty() && value[0] != '"' &&
         !absl::ascii_isdigit(static_cast<unsigned char>(value[0]));
}

}  // namespace

bool NamesComputations(string_view attribute) {
  return std::find(std::begin(kNaming), std::end(kNaming), attribute) != std::end(kNaming);
}

std::vector<string_view> CalledComputations(const Instruction& instruction) {
  std::vector<string_view> names;
  for (string_view key : kNaming) {
    string_view value = instruction.Attribute(key);
    if (!IsNameOrList(value)) continue;
    absl::ConsumePrefix(&value, "{");
    absl::ConsumeSuffix(&value, "}");
    for (string_view name : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      names.push_back(absl::StripPrefix(absl::StripAsciiWhitespace(name), "%"));
    }
  }
  return names;
}

}  // namespace tessera::testing::pairs
