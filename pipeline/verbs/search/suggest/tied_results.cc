#include "tessera/pipeline/verbs/search/suggest/tied_results.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/verbs/search/variants/variant_key.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxInText = 8;

}  // namespace

std::string ArgumentName(const hlo::Module& module, hlo::InstructionId parameter) {
  const std::string path = hlo::GetOpName(module, parameter);
  return path.empty() ? std::string(module.instruction(parameter).name) : path;
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::vector<TiedResult> TiedResults(const VariantCosts& costs, const Variant& variant) {
  const auto ties = costs.TiesOf(variant);
  std::vector<TiedResult> tied;
  for (const auto& donated : DonatedOf(costs.module())) {
    const int result = donated.first;
    if (!absl::c_any_of(ties, [&](const auto& tie) { return tie.number == result; })) continue;
    tied.push_back({result, ArgumentName(costs.module(), donated.second)});
  }
  return tied;
}

std::string TiedText(const std::vector<TiedResult>& tied) {
  std::vector<std::string> parts;
  for (const TiedResult& one : tied) {
    if (parts.size() == kMaxInText) break;
    parts.push_back(absl::StrCat("result ", one.result, " as ", one.argument));
  }
  const size_t more = tied.size() - parts.size();
  return absl::StrCat(absl::StrJoin(parts, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more (--format=python)") : "");
}

std::string TiedPython(const std::vector<TiedResult>& tied) {
  if (tied.empty()) return "";
  std::string out =
      "# out_shardings: these results, counted from 0, as these arguments\nresults = {\n";
  for (const TiedResult& one : tied) {
    absl::StrAppend(&out, "    ", one.result, ": ", Quoted(one.argument), ",\n");
  }
  return out + "}\n";
}

}  // namespace tessera::pipeline
