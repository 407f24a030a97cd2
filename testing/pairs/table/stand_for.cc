#include "tessera/testing/pairs/table/stand_for.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

bool IsConstantLike(absl::string_view opcode) {
  return opcode == "constant" || opcode == "iota" || opcode == "broadcast";
}

}  // namespace

bool IsTruthTest(const Instruction& x, const Instruction& y) {
  return x.opcode == "convert" && absl::StartsWith(x.shape, "pred[") && y.opcode == "compare";
}

bool MayStandFor(const Instruction& x, const Instruction& y) {
  if (IsTruthTest(x, y)) return true;
  if (IsBoundaryTarget(x.target())) return ConversionOf(x.target()) == y.target();
  if (IsConstantLike(x.opcode) && IsConstantLike(y.opcode)) {
    return x.opcode == y.opcode || x.opcode == "constant";
  }
  return x.opcode == y.opcode && x.target() == y.target();
}

}  // namespace tessera::testing::pairs
