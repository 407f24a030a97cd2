// A large array that no mesh axis shards: each device holds, and computes, all of it.
//
//   params['w'] f32[4096,4096] P() on a mesh of 8: 64 MiB on each device
//
// Arrays of one shape and one line are one finding: a layer's weight, and what casts or moves it. So are
// those of one argument of the function. Where another argument has a sharded array at the same path, as
// the optimizer's state has of the parameters, the fix names its spec.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/input/argument_path.h"
#include "tessera/pipeline/lint/rules/argument_groups.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

// "['w']" of "v['w']".
absl::string_view PathBelow(const LintTensor& t) {
  return absl::string_view(t.op_name).substr(ArgumentOfPath(t.op_name).size());
}

// "[512,512]" of "f32[512,512]".
absl::string_view DimensionsOf(const LintTensor& t) {
  const absl::string_view shape = t.shape;
  return shape.substr(std::min(shape.find('['), shape.size()));
}

// A sharded array at the same path of another argument; null if there is none.
const LintTensor* ShardedTwin(const LintProgram& program, const LintTensor& of) {
  if (PathBelow(of).empty()) return nullptr;
  for (const LintTensor& t : program.tensors) {
    if (t.argument >= 0 && t.shares > 1 && PathBelow(t) == PathBelow(of) &&
        DimensionsOf(t) == DimensionsOf(of)) {
      return &t;
    }
  }
  return nullptr;
}

std::string WhyText(const LintTensor& t) {
  return absl::StrCat("; `tessera explain FILE ", t.name, "` says why it is replicated");
}

std::string FixOfArgument(const LintProgram& program, const ArgumentGroup& group) {
  const LintTensor* twin = ShardedTwin(program, *group.largest);
  return absl::StrCat("shard the argument",
                      twin == nullptr
                          ? ""
                          : absl::StrCat(" as ", ArgumentOfPath(twin->op_name), ", whose ",
                                         PathBelow(*twin), " is ", twin->spec),
                      WhyText(*group.largest));
}

std::string Message(const std::string& subject, const LintTensor& t, int64_t bytes) {
  return absl::StrCat(subject, " replicated on ", t.devices,
                      " devices: ", layout::FormatBytes(bytes), " on each");
}

// JAX names what a constraint makes after it.
bool IsConstraint(const LintTensor& t) { return absl::EndsWith(t.op_name, "sharding_constraint"); }

Finding FindingOf(const LintTensor& t) {
  Finding finding;
  finding.name = t.name;
  finding.location = t.location;
  finding.message = Message(absl::StrCat(t.name, " ", t.shape, " is"), t, t.bytes);
  finding.fix = absl::StrCat(IsConstraint(t) ? "give its with_sharding_constraint an axis"
                                             : "constrain it with with_sharding_constraint",
                             WhyText(t));
  finding.amount = static_cast<double>(t.bytes);
  return finding;
}

}  // namespace

void CheckReplicatedArrays(const LintProgram& program, double budget, std::vector<Finding>* found) {
  std::set<std::pair<std::string, std::string>> seen;
  ArgumentGroups arguments;
  for (const LintTensor& t : program.tensors) {
    const auto bytes = static_cast<double>(t.bytes);
    if (!t.is_made || t.result >= 0 || t.devices < 2 || t.shares > 1 || bytes <= budget) continue;
    const bool is_new = t.location.empty() || seen.emplace(t.shape, t.location).second;
    if (t.argument >= 0) {
      arguments.Add(t);
    } else if (is_new) {
      found->push_back(FindingOf(t));
    }
  }
  for (const ArgumentGroup& group : arguments.all()) {
    found->push_back(group.FindingOf(
        Message(group.Subject("is", "are"), *group.largest, group.bytes) + group.Example(),
        FixOfArgument(program, group)));
  }
}

}  // namespace tessera::pipeline::lint
