#include "tessera/layout/element_bytes.h"

#include "tessera/layout/validate.h"

namespace tessera::layout {

int64_t ElementBytes(const Shape& array, int64_t elements) {
  const int64_t bits = StoredBits(array);
  return bits % 8 == 0 ? elements * (bits / 8) : (elements * bits + 7) / 8;
}

}  // namespace tessera::layout
