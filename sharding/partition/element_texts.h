// Splits the sharding of a tuple into the texts of its elements.
//
//   ElementTexts("{{devices=[2,1]<=[2]}, /*index=1*/{replicated}}")
//       // {devices=[2,1]<=[2]} and {replicated}: views into the text
//
// A tuple of hundreds of arrays has few distinct element texts; each is parsed once. Linear in the
// text. Tested by element_texts_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_ELEMENT_TEXTS_H_
#define TESSERA_SHARDING_PARTITION_ELEMENT_TEXTS_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::sharding::partition {

// Nothing for a text of another form: that is for the parser of all forms.
std::optional<std::vector<absl::string_view>> ElementTexts(absl::string_view text);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_ELEMENT_TEXTS_H_
