#include "tessera/layout/slot_place.h"

#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"
#include "tessera/layout/validate.h"

namespace tessera::layout {

absl::StatusOr<SlotPlace> PlaceOfSlot(const Shape& array, int64_t offset) {
  const int64_t bits = StoredBits(array.array());
  const bool packed = bits == 1 || bits == 2 || bits == 4;
  if (!packed && bits % 8 != 0) {
    return MakeError("kOddElementBits",
                     absl::StrCat("elements of ", bits, " bits do not lie in bytes of their own"));
  }
  return SlotPlace{offset * bits / 8, static_cast<int>(offset * bits % 8), bits};
}

}  // namespace tessera::layout
