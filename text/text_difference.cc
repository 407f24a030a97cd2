// Both texts are read line by line. A line that the other text has begins a run, which goes on for
// as long as the lines after the two are the same. So a change in the middle costs one look for a
// line:
//
//   text     other     runs
//   a        a         own 0, lines 1 and 2 of other
//   b        b
//   c        x
//   d        d         own 1 (c), line 4 of other
//
// Short lines (a brace, an empty one) stand everywhere and begin no run. Where a line may be is found
// by a hash of 32 bits, and then compared. Of two lines with one hash the second is not found, and
// stands among the bytes that the other text has not. Linear; beside it a table of the other text's
// lines, ten to twenty bytes each. Tested by text_difference_test.cc.

#include "tessera/text/text_difference.h"

#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

namespace tessera::text {
namespace {

using absl::string_view;

constexpr size_t kShortestBegin = 16;

// With its end.
string_view LineAt(string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  return text.substr(at, end == string_view::npos ? end : end + 1 - at);
}

uint32_t HashOf(string_view line) { return static_cast<uint32_t>(absl::Hash<string_view>()(line)); }

// By hash. Lines after 4 GiB have none.
using LinePlaces = absl::flat_hash_map<uint32_t, uint32_t>;

LinePlaces PlacesOfLines(string_view text) {
  constexpr size_t kUsualLine = 100;
  LinePlaces places;
  places.reserve(text.size() / kUsualLine);  // one table, not a small one beside a large one
  for (size_t at = 0; at < text.size() && at <= std::numeric_limits<uint32_t>::max();) {
    const string_view line = LineAt(text, at);
    if (line.size() >= kShortestBegin) places.try_emplace(HashOf(line), static_cast<uint32_t>(at));
    at += line.size();
  }
  return places;
}

// Bytes of the lines with which both begin.
size_t CommonLines(string_view a, string_view b) {
  size_t size = 0;
  while (size < a.size()) {
    const string_view line = LineAt(a, size);
    if (b.substr(size, line.size()) != line) break;
    size += line.size();
  }
  return size;
}

}  // namespace

TextDifference TextDifference::Between(string_view text, string_view other) {
  const LinePlaces places = PlacesOfLines(other);
  TextDifference difference;
  size_t own = 0;  // where the bytes begin that stand in no run
  for (size_t at = 0; at < text.size();) {
    const string_view line = LineAt(text, at);
    const auto place = places.find(HashOf(line));
    const size_t from = place == places.end() ? other.size() : place->second;
    const size_t size = CommonLines(text.substr(at), other.substr(from));
    if (size == 0) {
      at += line.size();
      continue;
    }
    difference.runs_.push_back({at - own, from, size});
    difference.own_.append(text.data() + own, at - own);
    at += size;
    own = at;
  }
  difference.own_.append(text.data() + own, text.size() - own);
  return difference;
}

std::string TextDifference::Restore(string_view other) const {
  std::string text;
  size_t at = 0;
  for (const Run& run : runs_) {
    text.append(own_, at, run.own);
    text.append(other.data() + run.from, run.size);
    at += run.own;
  }
  return text.append(own_, at, std::string::npos);
}

}  // namespace tessera::text
