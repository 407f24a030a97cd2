// Any bytes as each kind of text: what is read must be written so that it reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/signature/einsum.h"

namespace tessera::projection {
namespace {

void Demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void CheckRange(absl::string_view text) {
  const absl::StatusOr<ZRange> range = ZRange::Parse(text);
  if (!range.ok()) return;
  const absl::StatusOr<ZRange> again = ZRange::Parse(range->ToString());
  Demand(again.ok() && *again == *range, "a range that does not read back");
  const absl::StatusOr<ZRange> json = ZRange::Parse(range->ToJson());
  Demand(json.ok() && *json == *range, "the JSON of a range that does not read back");
}

}  // namespace
}  // namespace tessera::projection

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera::projection;  // NOLINT: two calls
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  CheckRange(text);
  (void)SignatureFromText(text, {{4, 6}, {6, 5}}, {{4, 5}});
  return 0;
}
