// An array that the tiles of a TPU blow up: bf16[2048,1,128] takes four times its bytes there.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

constexpr int64_t kSmall = int64_t{1} << 20;

}  // namespace

void CheckPadding(const LintProgram& program, double budget, std::vector<Finding>* found) {
  for (const LintBuffer& b : program.buffers) {
    const auto data = static_cast<double>(std::max<int64_t>(b.bytes - b.padding, 1));
    const double factor = static_cast<double>(b.bytes) / data;
    if (b.bytes < kSmall || b.padding == 0 || factor <= budget) continue;
    Finding& finding = found->emplace_back();
    finding.name = b.name;
    finding.location = b.location;
    finding.message = absl::StrCat(b.name, " ", b.shape, " takes ", layout::FormatBytes(b.bytes),
                                   ", ", absl::StrFormat("%.3g", factor), " times its data");
    finding.fix = b.better_shape.empty()
                      ? "make the two minor dimensions multiples of the tile, or merge small ones"
                      : absl::StrCat("in ", b.better_shape, " it takes ",
                                     layout::FormatBytes(b.better_bytes));
    finding.amount = factor;
  }
}

}  // namespace tessera::pipeline::lint
