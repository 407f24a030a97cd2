// The kernels for the vector units of x86-64; the CPU must have them.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_X86_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_X86_H_

#include "tessera/layout/relayout/kernels.h"

namespace tessera::layout::relayout {

const Kernels& Sse2Kernels();
const Kernels& Avx2Kernels();
const Kernels& Avx512Kernels();

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_X86_H_
