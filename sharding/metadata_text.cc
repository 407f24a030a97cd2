#include "tessera/sharding/metadata_text.h"

#include "absl/strings/match.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {

absl::Status ParseMetadata(HloLexer& in, std::vector<std::string>& entries) {
  const bool list = in.Is('{') && in.Ahead().Is('{');
  if (list) in.Next();
  do {
    TESSERA_ASSIGN_OR_RETURN(const absl::string_view entry, in.ExpectBraces());
    entries.emplace_back(entry);
  } while (list && in.Consume(','));
  return list ? in.Expect('}', "or ',' behind a metadata entry") : absl::OkStatus();
}

Reduction ReductionOfMetadata(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    if (!absl::StrContains(entry, "op_type=\"sdy::reduction_op\"")) continue;
    if (absl::StrContains(entry, "op_name=\"MAX\"")) return Reduction::kMax;
    if (absl::StrContains(entry, "op_name=\"MIN\"")) return Reduction::kMin;
  }
  return Reduction::kSum;
}

}  // namespace tessera::sharding
