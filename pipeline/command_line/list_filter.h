// Which entries of a long list to show: --match, --axis, --min-bytes and --top.
//
//   TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
//   TESSERA_RETURN_IF_ERROR(filter.CheckAxis(NamesOf(mesh)));
//   filter.Matches({tensor.name, tensor.op_name}) && bytes >= filter.min_bytes()
//   for (const size_t k : filter.Top(bytes_of_those_that_match)) ..
//
// For every verb that lists tensors, or what happens to them. Tested by the tests of these verbs.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_LIST_FILTER_H_
#define TESSERA_PIPELINE_COMMAND_LINE_LIST_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "re2/re2.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

class ListFilter {
 public:
  // The four flags in their order, with words for their help: the entries of the list ("tensors"), and the relative
  // clauses of --axis ("that use") and --min-bytes ("that send"). Without --top the `top` entries with most bytes are
  // shown; 0: all.
  static std::vector<Flag> Flags(absl::string_view what, absl::string_view along,
                                 absl::string_view size, absl::string_view top = "0");
  // InvalidArgument that names the flag.
  static absl::StatusOr<ListFilter> Read(const Arguments& arguments);

  // Some text holds a match of --match; true without the flag.
  bool Matches(std::initializer_list<absl::string_view> texts) const;
  bool chooses() const { return regex_ != nullptr || !axis_.empty() || min_bytes_ > 0; }
  const std::string& axis() const { return axis_; }  // "": any
  int64_t min_bytes() const { return min_bytes_; }

  int64_t top() const { return top_; }  // 0: all
  // Those with most bytes, as many as --top says, in the order of the list; of equal ones the first.
  std::vector<size_t> Top(const std::vector<int64_t>& bytes) const;

  // InvalidArgument unless --axis is one of `axes`, or not given.
  absl::Status CheckAxis(const std::vector<std::string>& axes) const;

  // For standard error, where `count` entries were there and none is left: a list that is empty for
  // a misspelled pattern says so. "" otherwise.
  std::string NoteOnNone(size_t shown, size_t count, absl::string_view what) const;

 private:
  std::unique_ptr<const RE2> regex_;  // null: all match
  std::string axis_;
  int64_t min_bytes_ = 0;
  int64_t top_ = 0;  // 0: all
};

// Of a list in order those that --top leaves; 0: all.
template <typename T>
absl::Span<const T> First(const std::vector<T>& list, int64_t top) {
  const absl::Span<const T> all = list;
  return top == 0 ? all : all.first(std::min(static_cast<size_t>(top), all.size()));
}
template <typename T>
absl::Span<const T> First(const std::vector<T>&& list, int64_t top) = delete;  // it would be gone
// "and 7 more: --top=0\n" after it; "" where none is left out.
std::string MoreText(size_t left);

// InvalidArgument unless --axis=`axis` is one of `axes`, or "".
absl::Status CheckAxisFlag(const std::string& axis, const std::vector<std::string>& axes);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_LIST_FILTER_H_
