#include "tessera/layout/element_bytes.h"

#include "tessera/layout/leaves.h"
#include "tessera/layout/validate.h"
#include "tessera/text/checked.h"

namespace tessera::layout {

int64_t ElementBytes(const Shape& array, int64_t elements) {
  const int64_t bits = StoredBits(array);
  if (bits % 8 == 0) return SaturatingProduct(elements, bits / 8);
  return elements / 8 * bits + CeilDiv(elements % 8 * bits, 8);
}

int64_t DataBytes(const Shape& shape) {
  int64_t bytes = 0;
  ForEachLeaf(shape, [&bytes](const Shape& leaf) {
    bytes = SaturatingSum(bytes, ElementBytes(leaf, leaf.NumElements().value_or(0)));
  });
  return bytes;
}

}  // namespace tessera::layout
