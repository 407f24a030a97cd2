#include "tessera/pipeline/command_line/list_filter.h"

#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

std::vector<Flag> ListFilter::Flags(absl::string_view what, absl::string_view along,
                                    absl::string_view size, absl::string_view top) {
  return {
      {"match", "REGEX",
       absl::StrCat("only ", what, " with a match in their name, op_name or file:line"), "", false},
      {"axis", "NAME", absl::StrCat("only ", what, " ", along, " this mesh axis"), "", false},
      {"min-bytes", "BYTES",
       absl::StrCat("only ", what, " ", size, " at least so much, such as 1MB"), "0", false},
      {"top", "N", absl::StrCat("only the N ", what, " ", size, " most; 0: all"), std::string(top),
       false},
  };
}

absl::StatusOr<ListFilter> ListFilter::Read(const Arguments& arguments) {
  ListFilter filter;
  filter.axis_ = arguments.Get("axis");
  TESSERA_ASSIGN_OR_RETURN(filter.min_bytes_, ReadBytes(arguments, "min-bytes"));
  TESSERA_ASSIGN_OR_RETURN(filter.top_, arguments.Count("top"));
  if (!arguments.Has("match")) return filter;
  filter.regex_ = std::make_unique<const RE2>(arguments.Get("match"), RE2::Quiet);
  if (filter.regex_->ok()) return filter;
  return absl::InvalidArgumentError(
      absl::StrCat("--match=", arguments.Get("match"),
                   " is not a valid regular expression: ", filter.regex_->error()));
}

bool ListFilter::Matches(std::initializer_list<absl::string_view> texts) const {
  return regex_ == nullptr || absl::c_any_of(texts, [&](absl::string_view text) {
           return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
         });
}

std::vector<size_t> ListFilter::Top(const std::vector<int64_t>& bytes) const {
  std::vector<size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (top_ == 0 || static_cast<size_t>(top_) >= order.size()) return order;
  absl::c_stable_sort(order, [&](size_t a, size_t b) { return bytes[a] > bytes[b]; });
  order.resize(static_cast<size_t>(top_));
  absl::c_sort(order);
  return order;
}

absl::Status ListFilter::CheckAxis(const std::vector<std::string>& axes) const {
  return CheckAxisFlag(axis_, axes);
}

std::string MoreText(size_t left) {
  return left == 0 ? "" : absl::StrCat("and ", left, " more: --top=0\n");
}

absl::Status CheckAxisFlag(const std::string& axis, const std::vector<std::string>& axes) {
  if (axis.empty() || absl::c_linear_search(axes, axis)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--axis=", axis, ": ",
                   axes.empty() ? "the module has no mesh, and no --mesh gives it one"
                                : absl::StrCat("the axes are ", absl::StrJoin(axes, ", "))));
}

std::string ListFilter::NoteOnNone(size_t shown, size_t count, absl::string_view what) const {
  if (shown > 0 || count == 0) return "";
  std::vector<std::string> asked;
  if (regex_ != nullptr) asked.push_back(absl::StrCat("--match=", regex_->pattern()));
  if (!axis_.empty()) asked.push_back(absl::StrCat("--axis=", axis_));
  if (min_bytes_ > 0) asked.push_back(absl::StrCat("--min-bytes=", min_bytes_));
  if (asked.empty()) return "";
  return absl::StrCat("note: none of ", count, " ", what, " passes ", absl::StrJoin(asked, " "),
                      "\n");
}

}  // namespace tessera::pipeline
