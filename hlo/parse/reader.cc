#include "tessera/hlo/parse/reader.h"

namespace tessera::hlo {

bool Reader::FailToFind(char punctuation, absl::string_view where) {
  return Fail(absl::StrCat("expected '", absl::string_view(&punctuation, 1), "'",
                           where.empty() ? "" : " ", where));
}

}  // namespace tessera::hlo
