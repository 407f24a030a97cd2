#include "tessera/hlo/parse/recovery/nearest_opcode.h"

#include <vector>

#include "tessera/hlo/opcode.h"
#include "tessera/text/near_names.h"

namespace tessera::hlo {

std::string NearestOpcode(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < kNumOpcodes; ++i) names.push_back(OpcodeName(static_cast<Opcode>(i)));
  return text::DidYouMean(word, names);
}

}  // namespace tessera::hlo
