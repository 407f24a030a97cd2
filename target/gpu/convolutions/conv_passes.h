// conv-rewriter: which of the three kinds of convolutions of a network cuDNN calculates one as.
//
//   y = convolution(x, w), dim_labels=b01f_01io->b01f                                   forward
//   dx = convolution(dy, reverse(w)), dim_labels=b01f_01oi->b01f                        backward input
//   dw = convolution(x, dy), window={size=64x64 ..}, dim_labels=f01b_i01o->01bf         backward filter
//
// XLA's rules of thumb. A backward input has a filter that is reversed, which cuDNN does on the way: the reverse
// becomes part of the window, and the filter lies as in the forward convolution. An input with holes and a
// filter of one element are a backward input, too. A backward filter has a window that is larger than the result.
//
// Cost: linear. Tested by conv_rewriter_test.cc.

#ifndef TESSERA_TARGET_GPU_CONVOLUTIONS_CONV_PASSES_H_
#define TESSERA_TARGET_GPU_CONVOLUTIONS_CONV_PASSES_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

enum class ConvolutionKind { kForward, kBackwardInput, kBackwardFilter };

ConvolutionKind ConvolutionKindOf(const DeviceProgram& program, InstructionId convolution);

// Reversed filters become reversed windows.
absl::Status RewriteConvolutions(Context& context);

// Convolutions add what is added to them (fused_convolution_rewriter.cc).
absl::Status FuseAdditions(Context& context);

// Both ends of a dimension are padded alike (conv_padding_legalization.cc).
absl::Status LegalizePadding(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_CONVOLUTIONS_CONV_PASSES_H_
