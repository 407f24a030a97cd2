// The one case in which the minimal version touches a dot.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using factors::FactorSharding;
using factors::FactorTable;

constexpr int kLhs = 0, kRhs = 1, kResult = 2;

class DotCheck {
 public:
  DotCheck(const FactorTable& table, absl::Span<const int64_t> elements)
      : table_(table), elements_(elements) {}

  std::optional<int> Run() {
    for (int f = 0; f < table_.rule().num_factors(); ++f) {
      if (!Look(f)) return std::nullopt;
    }
    if (!conflict_) return std::nullopt;
    const AxisList& wanted = table_.Find(kResult, *conflict_)->axes;
    if (wanted.empty() || wanted != summed_) return std::nullopt;
    return conflict_;
  }

 private:
  // False: the dot is left alone.
  bool Look(int f) {
    const FactorSharding* lhs = table_.Find(kLhs, f);
    const FactorSharding* rhs = table_.Find(kRhs, f);
    const FactorSharding* result = table_.Find(kResult, f);
    if (lhs != nullptr && rhs != nullptr && lhs->axes != rhs->axes) return false;
    const FactorSharding* operand = lhs != nullptr ? lhs : rhs;
    if (operand == nullptr) return true;
    if (result == nullptr) {
      summed_.insert(summed_.end(), operand->axes.begin(), operand->axes.end());
      return true;
    }
    const bool batching = lhs != nullptr && rhs != nullptr;
    if (!batching && !Separate(operand->axes)) return false;
    return operand->axes == result->axes || Conflicts(f, *operand, lhs != nullptr, rhs != nullptr);
  }

  // The non-contracting axes must not overlap each other.
  bool Separate(const AxisList& axes) {
    if (OverlapsAny(axes, free_)) return false;
    free_.insert(free_.end(), axes.begin(), axes.end());
    return true;
  }

  bool Conflicts(int f, const FactorSharding& operand, bool in_lhs, bool in_rhs) {
    const int64_t operand_elements =
        std::max(in_lhs ? elements_[kLhs] : 0, in_rhs ? elements_[kRhs] : 0);
    if (operand.axes.empty() || conflict_ || elements_[kResult] > operand_elements) return false;
    conflict_ = f;
    return true;
  }

  const FactorTable& table_;
  const absl::Span<const int64_t> elements_;
  AxisList summed_;  // of the contracting factors
  AxisList free_;    // of the non-contracting factors
  std::optional<int> conflict_;
};

}  // namespace

std::optional<int> ConflictOfDot(const FactorTable& table, absl::Span<const int64_t> elements) {
  return DotCheck(table, elements).Run();
}

}  // namespace tessera::sharding::reshard
