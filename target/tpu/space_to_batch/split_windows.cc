#include "tessera/target/tpu/space_to_batch/split_windows.h"

#include <algorithm>

#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/tpu/space_to_batch/split_arrays.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

// Narrower images stay whole.
constexpr int64_t kLeastColumns = 2;
constexpr int kLongWindowChain = 8;  // steps from a convolution to a reduce-window

}  // namespace

SplitWindow::SplitWindow(int64_t columns, int64_t made, const hlo::WindowDimension& window)
    : inner(window),
      columns_(columns),
      made_(made),
      padding_(window.padding_low + window.padding_high) {
  const int64_t dilated = window.base_dilation, reach = (window.size - 1) * window.window_dilation;
  low = window.padding_low / dilated;
  inner.padding_low = window.padding_low % dilated;
  const int64_t halo = dilated > 1 ? (reach - 1 - inner.padding_low + dilated) / dilated
                                   : std::max<int64_t>(0, reach + 1 - window.stride);
  inner.padding_high = dilated > 1 ? reach - inner.padding_low - 1 - (halo - 1) * dilated : 0;
  high = std::max<int64_t>(0, halo - low);
  const bool is_dilated_input =
      dilated == 1 || (window.stride == 1 && window.padding_low <= dilated &&
                       (window.padding_low >= dilated - 1 || window.size == 1) &&
                       (window.padding_low < dilated || made > 2 * dilated * kParts));
  is_splittable = window.padding_low >= 0 && window.padding_high >= 0 && is_dilated_input;
}

int64_t SplitWindow::Padded() const { return columns_ + CeilDiv(padding_, inner.base_dilation); }

int64_t SplitWindow::LeastPart() const {
  return CeilDiv(CeilDiv(made_, kParts), inner.base_dilation) * inner.stride;
}

std::optional<int64_t> SplitWindow::FirstPart() const {
  const int64_t columns = Padded() / kParts;
  if (!is_splittable || columns < std::max(kLeastColumns, Halo())) return std::nullopt;
  int64_t part = LeastPart();
  while (part * kParts < Padded()) part += inner.stride;
  return part;
}

std::optional<int64_t> SplitWindow::NextPart(int64_t part) const {
  int64_t least = LeastPart();
  while (least * kParts < columns_ || least * kParts + Halo() < Padded()) least += inner.stride;
  const int64_t next = least > part || part % inner.stride != 0 ? least : part;
  if (!is_splittable || next < std::max<int64_t>(1, std::max(low, high))) return std::nullopt;
  return next;
}

int64_t StrideOfPool(const DeviceProgram& program, InstructionId id) {
  for (int steps = 0; steps < kLongWindowChain && id != kNoId; ++steps) {
    InstructionId next = kNoId;
    for (const InstructionId user : program.Users(id)) {
      const auto width =
          static_cast<size_t>(program.shape(user).rank() - 2);  // in front of features
      if (program.opcode(user) == Opcode::kReduceWindow)
        return hlo::GetWindow(program.module(), user)[width].stride;
      const bool goes_on = KindOf(program.opcode(user)) == OpKind::kElementwise;
      if (goes_on && next == kNoId) next = user;
    }
    id = next;
  }
  return 1;
}

}  // namespace tessera::target
