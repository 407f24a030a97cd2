// Idea. Aliases are folded first: a value and its aliases have one root, used last where any of
// them is. Then one walk through the program gives each root a buffer: a new one, or that of an
// operand whose root is used here for the last time, is as large, and does not belong to the caller
// or to the result. An output that is aliased to a parameter takes the buffer of that. A buffer
// lives from its first value to the last use of its last one, so that the profile is a sum of
// intervals.
#include "tessera/projection/cost/memory/liveness.h"

#include <algorithm>

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
        root_(values_),
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
    for (Buffer& b : out_.buffers) b.last = LastOf(b);
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
    for (int v = 0; v < values_; ++v) root_[v] = v;
    for (int64_t t = 0; t < end_; ++t) {
      const Step& step = p_.order[t];
      for (int v : step.operands) last_use_[root_[v]] = t;
      const bool alias = step.kind == BufferKind::kAlias && !step.operands.empty();
      if (alias) root_[parameters_ + t] = root_[step.operands[0]];
    }
    for (int v : p_.outputs) is_output_[root_[v]] = true;
    for (const auto& [output, parameter] : p_.aliased) {
      stands_in_[root_[output]] = parameter;
      is_aliased_[parameter] = true;
    }
  }

  bool IsDonated(int parameter) const { return is_donated_[parameter]; }

  // The parameter whose buffer output `value`, made at step t, takes; -1 for none.
  int TakenParameter(int value, int64_t bytes, int64_t t) const {
    const int p = stands_in_[value];
    if (p < 0 || is_output_[p] || last_use_[p] > t) return -1;
    const Buffer& b = out_.buffers[buffer_[p]];
    return b.bytes == bytes && b.values.size() == 1 ? p : -1;
  }

  // Nobody else needs the memory of root `r` from step `t` on, and it is the program's to use.
  bool IsFreeAt(int r, int64_t t) const {
    const bool caller_owns = r < parameters_ && !IsDonated(r);
    const bool constant =
        r >= parameters_ && p_.order[r - parameters_].kind == BufferKind::kConstant;
    return last_use_[r] == t && !is_output_[r] && !caller_owns && !constant;
  }

  void Open(int value, int64_t bytes, int64_t at) {
    buffer_[value] = static_cast<int>(out_.buffers.size());
    out_.buffers.push_back({bytes, at, at, {value}});
  }

  // The operand whose buffer the step takes; -1 for none.
  int Taken(const Step& step, int64_t t) const {
    const bool in_place = step.kind == BufferKind::kInPlace;
    if (!in_place && !(step.kind == BufferKind::kElementwise && options_.reuse_elementwise))
      return -1;
    const size_t candidates =
        in_place ? std::min<size_t>(1, step.operands.size()) : step.operands.size();
    for (size_t k = 0; k < candidates; ++k) {
      const int r = root_[step.operands[k]];
      if (IsFreeAt(r, t) && out_.buffers[buffer_[r]].bytes == step.bytes) return step.operands[k];
    }
    return -1;
  }

  void Place(int t) {
    const Step& step = p_.order[t];
    const int value = parameters_ + t;
    if (root_[value] != value) return;
    const int parameter = TakenParameter(value, step.bytes, t);
    const int taken = parameter >= 0 ? parameter : Taken(step, t);
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
      if (is_output_[v] || whole_program) return end_;
      last = std::max({last, last_use_[v], static_cast<int64_t>(v - parameters_)});
    }
    return last;
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

absl::StatusOr<MemoryProfile> ProfileOf(const Program& program, const LivenessOptions& options) {
  return Walk(program, options).Run();
}

}  // namespace tessera::projection
