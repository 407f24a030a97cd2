// Idea. Aliases are folded first: a value and its aliases have one root, used last where any of
// them is. Then one walk through the program gives each root a buffer. It is a new one, or that of
// an operand whose root is used here for the last time. Such an operand must be as large, and must
// not belong to the caller or to the result. An output that ends in the memory of a parameter is
// made there if nobody needs that any more. A buffer lives from its first value to the last use of
// its last one, so that the profile is a sum of intervals.
#include "tessera/projection/cost/memory/liveness.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

class Walk {
 public:
  Walk(const Program& p, const LivenessOptions& options)
      : p_(p),
        options_(options),
        parameters_(static_cast<int>(p.parameters.size())),
        values_(parameters_ + static_cast<int>(p.order.size())),
        end_(static_cast<int64_t>(p.order.size())),
        last_use_(values_, -2),
        is_output_(values_, false),
        stands_in_(values_, -1),
        is_aliased_(parameters_, false),
        is_donated_(parameters_, false),
        buffer_(values_, -1) {
    for (const int parameter : p.donated) {
      if (parameter >= 0 && parameter < parameters_) is_donated_[parameter] = true;
    }
  }

  absl::StatusOr<MemoryProfile> Run() {
    TESSERA_RETURN_IF_ERROR(CheckOperands());
    FindRoots();
    for (int v = 0; v < parameters_; ++v) Open(v, p_.parameters[v], -1);
    for (int64_t t = 0; t < end_; ++t) Place(static_cast<int>(t));
    for (Buffer& b : out_.buffers) {
      b.last = LastOf(b);
      if (IsCallers(b)) b.bytes = 0;
    }
    TESSERA_RETURN_IF_ERROR(AddUp());
    return std::move(out_);
  }

 private:
  absl::Status CheckOperands() const {
    for (const auto& [output, parameter] : p_.aliased) {
      if (output < 0 || output >= values_ || parameter < 0 || parameter >= parameters_)
        return MakeError(ErrorCode::kBadDim, "an alias of a value that is not there");
    }
    for (size_t t = 0; t < p_.order.size(); ++t) {
      for (int v : p_.order[t].operands) {
        if (v >= 0 && v < parameters_ + static_cast<int>(t)) continue;
        return MakeError(ErrorCode::kBadDim,
                         absl::StrCat("step ", t, " uses value ", v, " before it is there"));
      }
    }
    return absl::OkStatus();
  }

  void FindRoots() {
    root_ = RootsOf(p_);
    for (int64_t t = 0; t < end_; ++t) {
      for (int v : p_.order[t].operands) last_use_[root_[v]] = t;
    }
    for (int v : p_.outputs) is_output_[root_[v]] = true;
    for (const auto& [output, parameter] : p_.aliased) {
      stands_in_[root_[output]] = parameter;
      is_aliased_[parameter] = true;
    }
  }

  bool IsDonated(int parameter) const { return is_donated_[parameter]; }

  // The value in whose buffer output `value`, made at step t, ends and can be made; -1 for none. An
  // element-wise operation may write where it reads; the others need their operands to the end.
  int TakenParameter(const Step& step, int value, int64_t t) const {
    const int p = stands_in_[value];
    if (p < 0) return -1;
    const Buffer& b = out_.buffers[buffer_[p]];
    const int last = b.values.back();
    const bool writes_where_it_reads =
        step.kind == BufferKind::kElementwise && !IsReordered(step, last);
    const int64_t free_from = writes_where_it_reads ? last_use_[last] : last_use_[last] + 1;
    return b.bytes == step.bytes && !is_output_[last] && free_from <= t ? last : -1;
  }

  bool IsReordered(const Step& step, int root) const {
    return std::any_of(step.operands.rbegin(),
                       step.operands.rbegin() + static_cast<std::ptrdiff_t>(step.reordered),
                       [&](int v) { return root_[v] == root; });
  }

  // Nobody else needs the memory of root `r` from step `t` on, and it is the program's to use.
  bool IsFreeAt(int r, int64_t t) const {
    const bool caller_owns = r < parameters_ && !IsDonated(r) && !is_aliased_[r];
    const bool constant =
        r >= parameters_ && p_.order[r - parameters_].kind == BufferKind::kConstant;
    return last_use_[r] == t && !is_output_[r] && !caller_owns && !constant;
  }

  void Open(int value, int64_t bytes, int64_t at) {
    buffer_[value] = static_cast<int>(out_.buffers.size());
    out_.buffers.push_back({bytes, at, at, {value}});
  }

  // The memory of an aliased parameter is for the output that ends there.
  bool MayEndIn(const Buffer& b, int value) const {
    const int first = b.values.front();
    return !is_output_[value] || first >= parameters_ || !is_aliased_[first] ||
           stands_in_[value] == first;
  }

  // The operand whose buffer the step takes; -1 for none.
  int Taken(const Step& step, int value, int64_t t) const {
    const bool in_place = step.kind == BufferKind::kInPlace;
    if (!in_place && !(step.kind == BufferKind::kElementwise && options_.reuse_elementwise))
      return -1;
    const size_t in_order = step.operands.size() - step.reordered;
    const size_t candidates = in_place ? std::min<size_t>(1, in_order) : in_order;
    for (size_t k = 0; k < candidates; ++k) {
      const int r = root_[step.operands[k]];
      const Buffer& b = out_.buffers[buffer_[r]];
      if (IsFreeAt(r, t) && b.bytes == step.bytes && MayEndIn(b, value)) return step.operands[k];
    }
    return -1;
  }

  void Place(int t) {
    const Step& step = p_.order[t];
    const int value = parameters_ + t;
    if (root_[value] != value) return;
    const int parameter = TakenParameter(step, value, t);
    const int taken = parameter >= 0 ? parameter : Taken(step, value, t);
    if (taken < 0) return Open(value, step.bytes, step.kind == BufferKind::kConstant ? -1 : t);
    buffer_[value] = buffer_[root_[taken]];
    out_.buffers[buffer_[value]].values.push_back(value);
    out_.reused.push_back({value, taken});
  }

  int64_t LastOf(const Buffer& b) const {
    int64_t last = b.first;
    for (int v : b.values) {
      const bool whole_program =
          (v < parameters_ && !IsDonated(v) && !is_aliased_[v]) ||
          (v >= parameters_ && p_.order[v - parameters_].kind == BufferKind::kConstant);
      if (whole_program) return end_;
      if (is_output_[v]) return IsCopiedAtEnd(b, v) ? end_ - 1 : end_;
      last = std::max({last, last_use_[v], static_cast<int64_t>(v - parameters_)});
    }
    return last;
  }

  // The memory in which output `v` ends is that of a parameter, and not `b`.
  bool IsCopiedAtEnd(const Buffer& b, int v) const {
    return stands_in_[v] >= 0 && b.values.front() != stands_in_[v];
  }

  bool IsCallers(const Buffer& b) const {
    if (p_.parameters_are_callers && b.values.front() < parameters_) return true;
    return p_.outputs_are_callers && b.last == end_ &&
           absl::c_any_of(b.values, [&](int v) { return is_output_[v]; });
  }

  absl::Status AddUp() {
    std::vector<Checked> change(static_cast<size_t>(end_) + 1, Checked(0));
    for (const Buffer& b : out_.buffers) {
      change[std::max<int64_t>(b.first, 0)] += b.bytes;
      if (b.last + 1 <= end_) change[b.last + 1] -= b.bytes;
    }
    Checked live = 0;
    for (int64_t t = 0; t < end_; ++t) {
      live += change[t];
      const Checked here = live + p_.order[t].inner_peak;
      if (!here.ok()) return OverflowError("the bytes alive at a step");
      out_.live.push_back(here.value());
      if (out_.peak_at < 0 || here.value() > out_.peak) {
        out_.peak = here.value();
        out_.peak_at = t;
      }
    }
    return absl::OkStatus();
  }

  const Program& p_;
  const LivenessOptions& options_;
  const int parameters_, values_;
  const int64_t end_;
  std::vector<int> root_;          // of each value
  std::vector<int64_t> last_use_;  // of each root; -2: none
  std::vector<bool> is_output_;    // of each root
  std::vector<int> stands_in_;     // of each root that is an output: its parameter, or -1
  std::vector<bool> is_aliased_;   // of each parameter
  std::vector<bool> is_donated_;   // of each parameter
  std::vector<int> buffer_;        // of each root
  MemoryProfile out_;
};

}  // namespace

std::vector<int> RootsOf(const Program& program) {
  std::vector<int> roots(program.parameters.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const Step& step : program.order) {
    const bool alias = step.kind == BufferKind::kAlias && !step.operands.empty();
    roots.push_back(alias ? roots[static_cast<size_t>(step.operands[0])]
                          : static_cast<int>(roots.size()));
  }
  return roots;
}

absl::StatusOr<MemoryProfile> ProfileOf(const Program& program, const LivenessOptions& options) {
  return Walk(program, options).Run();
}

}  // namespace tessera::projection
