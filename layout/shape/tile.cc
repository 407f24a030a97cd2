#include "tessera/layout/tile.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::layout {

bool Tile::has_combine() const {
  return std::find(dims.begin(), dims.end(), kCombine) != dims.end();
}

std::string Tile::ToString() const {
  const auto append_entry = [](std::string* out, int64_t entry) {
    if (entry == kCombine) {
      out->push_back('*');
    } else {
      absl::StrAppend(out, entry);
    }
  };
  return absl::StrCat("(", absl::StrJoin(dims, ",", append_entry), ")");
}

}  // namespace tessera::layout
