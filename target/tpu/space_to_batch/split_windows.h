// How a window walks along a split width: the data of a convolution or a reduce-window that
// `space-to-batch` needs.
//
//   // 64 columns, window={size=3x3 pad=1_1x1_1}
//   const SplitWindow window(64, 64, last_window);
//   window.FirstPart()       // 9: 66 columns with padding, in eight parts
//   window.low, window.high  // 1, 1: columns of the neighbours that a part reads
//   window.inner             // the window of a part: no padding
//
// `before`: columns of padding that stand in front of the first part where nothing was split before. Found from
// outside, by probes of some 40 windows; the form is that of XLA's pass.

#ifndef TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_WINDOWS_H_
#define TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_WINDOWS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

class SplitWindow {
 public:
  SplitWindow(int64_t columns, int64_t made, const hlo::WindowDimension& window);

  // It can be split at all.
  bool is_splittable = false;
  int64_t low = 0, high = 0;
  hlo::WindowDimension inner;

  // Columns of a part where nothing is split yet; nothing where images are too narrow.
  std::optional<int64_t> FirstPart() const;
  // Where parts have `part` columns already. Nothing where the window is too long.
  std::optional<int64_t> NextPart(int64_t part) const;
  // Of the result.
  int64_t MadePart(int64_t part) const { return part * inner.base_dilation / inner.stride; }

 private:
  int64_t Halo() const { return low + high; }
  int64_t Padded() const;
  int64_t LeastPart() const;

  int64_t columns_, made_, padding_;
};

// The letters of dim_labels of each array.
struct Labels {
  std::string input, kernel, output;

  explicit Labels(absl::string_view text) {
    const size_t kernel_at = text.find('_'), output_at = text.find("->");
    input = std::string(text.substr(0, kernel_at));
    kernel = std::string(text.substr(kernel_at + 1, output_at - kernel_at - 1));
    output = std::string(text.substr(output_at + 2));
  }
  std::string Text() const { return absl::StrCat(input, "_", kernel, "->", output); }
};

// Of the reduce-window that follows a convolution after elementwise operations; 1 where none does.
int64_t StrideOfPool(const DeviceProgram& program, InstructionId convolution);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_WINDOWS_H_
