#include "tessera/target/simplify/prefix_windows.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

bool IsDense(const hlo::WindowDimension& w) {
  return w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
}

bool IsOfOne(const hlo::WindowDimension& w) {
  return w.size == 1 && w.padding_low == 0 && w.padding_high == 0;
}

std::optional<Prefix> PrefixAlong(const hlo::WindowDimension& w, int64_t dimension, int64_t size) {
  if (w.size != size) return std::nullopt;
  if (w.padding_low == size - 1 && w.padding_high == 0) return Prefix{dimension, false};
  if (w.padding_low == 0 && w.padding_high == size - 1) return Prefix{dimension, true};
  return std::nullopt;
}

}  // namespace

std::optional<Prefix> PrefixOf(const DeviceProgram& program, InstructionId window) {
  const layout::Shape& shape = program.shape(window);
  if (program.operands(window).size() != 2 || !shape.is_array()) return std::nullopt;
  const hlo::Window dimensions = hlo::GetWindow(program.module(), window);
  std::optional<Prefix> found;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (!IsDense(dimensions[d])) return std::nullopt;
    if (IsOfOne(dimensions[d])) continue;
    if (found.has_value()) return std::nullopt;
    const auto k = static_cast<int64_t>(d);
    found = PrefixAlong(dimensions[d], k, shape.dim(k));
    if (!found.has_value()) return std::nullopt;
  }
  return found;
}

std::string WindowText(int64_t rank, int64_t dimension, const WindowAlong& along) {
  std::vector<std::string> sizes(static_cast<size_t>(rank), "1");
  std::vector<std::string> pads(static_cast<size_t>(rank), "0_0");
  sizes[static_cast<size_t>(dimension)] = absl::StrCat(along.size);
  pads[static_cast<size_t>(dimension)] = absl::StrCat(along.in_front, "_", along.after);
  return absl::StrCat("{size=", absl::StrJoin(sizes, "x"), " pad=", absl::StrJoin(pads, "x"), "}");
}

InstructionId WindowsOfLast(DeviceProgram& program, InstructionId like, InstructionId x,
                            const WindowAlong& along) {
  const layout::Shape shape = program.shape(x);
  IntList elements(shape.dims().begin(), shape.dims().end());
  elements.back() += along.in_front + along.after - along.size + 1;
  const InstructionId window =
      program.Clone(like, {x, program.operand(like, 1)}, Resized(shape, elements));
  program.SetAttribute(window, hlo::AttributeName::kWindow,
                       WindowText(shape.rank(), shape.rank() - 1, along));
  return window;
}

}  // namespace tessera::target
