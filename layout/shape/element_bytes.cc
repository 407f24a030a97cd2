#include "tessera/layout/element_bytes.h"

#include "tessera/layout/validate.h"
#include "tessera/text/checked.h"

namespace tessera::layout {

int64_t ElementBytes(const Shape& array, int64_t elements) {
  const int64_t bits = StoredBits(array);
  if (bits % 8 == 0) return SaturatingProduct(elements, bits / 8);
  return elements / 8 * bits + CeilDiv(elements % 8 * bits, 8);
}

}  // namespace tessera::layout
