#include "tessera/hlo/parse/json_end.h"

#include <algorithm>
#include <cstring>

#include "tessera/hlo/parse/strings.h"

namespace tessera::hlo {
namespace {

// Null if it is not closed before `end`.
const char* FindWithin(const char* p, const char* end) {
  for (int64_t depth = 0; p < end; ++p) {
    if (*p == '"') {
      p = StringEnd(p, end);
      if (p == nullptr) return nullptr;
      --p;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '}' && --depth == 0) {
      return p + 1;
    }
  }
  return nullptr;
}

}  // namespace

const char* JsonEndFinder::Find(const char* p, const char* end) {
  if (p >= end || *p != '{') return nullptr;
  const void* feed = std::memchr(p, '\n', static_cast<size_t>(end - p));
  const char* line_end = feed == nullptr ? end : static_cast<const char*>(feed);
  const char* found = FindWithin(p, line_end);
  return found != nullptr ? found : FindAcrossLines(p, end);
}

const char* JsonEndFinder::FindAcrossLines(const char* p, const char* end) {
  std::vector<LineFeed> passed;
  bool in_string = false;
  int64_t depth = 0, least = 1;  // since the last line feed
  for (; p < end; ++p) {
    if (*p == '"') {
      in_string = !in_string;
    } else if (*p == '\\' && in_string) {
      if (++p >= end || *p == '\n') break;
    } else if (*p == '{' && !in_string) {
      ++depth;
    } else if (*p == '}' && !in_string) {
      if (--depth == 0) return p + 1;
      least = std::min(least, depth);
    } else if (*p == '\n') {
      if (!passed.empty()) passed.back().least = least;
      const auto noted = closed_after_.find({p, in_string});
      least = depth;
      if (noted != closed_after_.end() && noted->second < depth) {
        least -= noted->second;
        break;
      }
      passed.push_back({p, in_string, depth, depth});
    }
  }
  Note(passed, least);
  return nullptr;
}

// `least`: the fewest braces that are open after the last line feed.
void JsonEndFinder::Note(const std::vector<LineFeed>& passed, int64_t least) {
  for (auto feed = passed.rbegin(); feed != passed.rend(); ++feed) {
    least = std::min({least, feed->least, feed->depth});
    closed_after_[{feed->at, feed->in_string}] = feed->depth - least;
  }
}

}  // namespace tessera::hlo
