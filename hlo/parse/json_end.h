// Where raw JSON ends.
//
//   JsonEndFinder finder;
//   finder.Find(p, end);      // p: {"a":"}"}, x=1      after the second brace
//
// In a text with many mistakes, thousands of braces may lack a closing one. The search for each
// would go to the end of the text. So a search that fails notes at each line feed how far the
// braces after it can close. A later search in the same state there knows whether it fails too.
// All searches in a text together are linear in its size.

#ifndef TESSERA_HLO_PARSE_JSON_END_H_
#define TESSERA_HLO_PARSE_JSON_END_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tessera::hlo {

// For one text, whose end is always the same.
class JsonEndFinder {
 public:
  // After the brace that closes the one at `p`; null if there is none. Braces in "..." do not
  // count; a backslash before a line feed in such a string is a mistake, after which nothing
  // closes.
  const char* Find(const char* p, const char* end);

 private:
  struct LineFeed {
    const char* at;
    bool in_string;
    int64_t depth;  // braces that are open
    int64_t least;  // the fewest that are open up to the next line feed
  };

  const char* FindAcrossLines(const char* p, const char* end);
  void Note(const std::vector<LineFeed>& passed, int64_t least);

  // By line feed and whether it stands in a string: how many braces the rest of the text closes at
  // most, of those that are open there.
  absl::flat_hash_map<std::pair<const char*, bool>, int64_t> closed_after_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_JSON_END_H_
