// image-copies: images that are an argument are copied into the layout in which a convolution reads them.
//
//   x = bf16[32,224,224,3]{2,1,3,0} parameter(0), y = convolution(x, w)
//   ->  y = convolution(bf16[32,224,224,3]{0,3,2,1} copy(x), w)
//
// A convolution has features or images in the lanes (target/layouts), and the few colours of an image fit neither:
// 32 images fill a quarter of the tiles. The gradient of the kernel reads the same copy at the end of a step. Where all
// readers of a float32 argument narrow it, the copy is bf16. Found in final modules of six steps and three probes. Only
// for the memory of a program. Cost: linear.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/tpu/bf16_reads.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

class ImageCopies {
 public:
  explicit ImageCopies(Context* context)
      : program_(context->program),
        sizes_(*context->target.chip),
        preferences_(context->program.module()) {}

  void Run(ComputationId entry) {
    for (const InstructionId id : program_.PostOrder(entry)) {
      if (program_.opcode(id) == Opcode::kParameter && program_.shape(id).is_array()) Copy(id);
    }
  }

 private:
  void Copy(InstructionId images) {
    std::vector<InstructionId> readers;
    for (const InstructionId user : program_.Users(images)) {
      if (program_.opcode(user) == Opcode::kConvolution && program_.operand(user, 0) == images)
        readers.push_back(user);
    }
    if (readers.empty() || LiesAsRead(program_.shape(images))) return;
    const bool is_narrowed =
        program_.shape(images).element_type() == layout::ElementType::kF32 &&
        absl::c_all_of(readers, [&](InstructionId user) { return ReadsAsBf16(program_, user); });
    const InstructionId read =
        is_narrowed ? AddConvert(program_, images, layout::ElementType::kBf16) : images;
    const InstructionId copy = AddCopy(program_, read, "image-copy");
    for (const InstructionId user : readers) program_.SetOperand(user, 0, copy);
  }

  // The dimensions of its tiles are those that the convolution asks for.
  bool LiesAsRead(const layout::Shape& images) const {
    const auto lies = sizes_.Laid(images).layout().minor_to_major;
    const auto read = sizes_.Laid(images, preferences_.Of(images)).layout().minor_to_major;
    return lies[0] == read[0] && lies[1] == read[1];
  }

  DeviceProgram& program_;
  const ArraySizes sizes_;
  const LayoutPreferences preferences_;
};

}  // namespace

absl::Status CopyImages(Context& context) {
  ImageCopies(&context).Run(context.program.module().entry_id());
  return absl::OkStatus();
}

}  // namespace tessera::target
