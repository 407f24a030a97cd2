#include "tessera/pipeline/lint/rules/argument_groups.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/input/argument_path.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

std::string ArrayText(const LintTensor& t) {
  return absl::StrCat(DisplayName(t), " ", t.shape, " ", t.spec);
}

}  // namespace

std::string ArgumentGroup::Subject(absl::string_view is, absl::string_view are) const {
  return arrays == 1 ? absl::StrCat(ArrayText(*largest), " ", is)
                     : absl::StrCat(arrays, " arrays of the argument ", argument, " ", are);
}

std::string ArgumentGroup::Example() const {
  return arrays == 1 ? "" : absl::StrCat(", such as ", ArrayText(*largest));
}

Finding ArgumentGroup::FindingOf(std::string message, std::string fix) const {
  Finding finding;
  finding.name = largest->name;
  finding.location = largest->location;
  finding.message = std::move(message);
  finding.fix = std::move(fix);
  finding.amount = static_cast<double>(bytes);
  return finding;
}

void ArgumentGroups::Add(const LintTensor& array) {
  std::string argument(ArgumentOfPath(array.op_name));
  const auto [place, is_new] = places_.try_emplace(argument, groups_.size());
  if (is_new || argument.empty()) {
    place->second = groups_.size();
    groups_.push_back({std::move(argument)});
  }
  ArgumentGroup& group = groups_[place->second];
  ++group.arrays;
  group.bytes += array.bytes;
  if (group.largest == nullptr || array.bytes > group.largest->bytes) group.largest = &array;
}

}  // namespace tessera::pipeline::lint
