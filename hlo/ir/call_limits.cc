#include "tessera/hlo/call_limits.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/error_at.h"
#include "tessera/hlo/order.h"

namespace tessera::hlo {
namespace {

// Every computation after all that it calls. (ComputationPostOrder is XLA's order, in which one
// that several call may stand after some of them.)
class CalleesFirst {
 public:
  CalleesFirst(const Module& module, const CallSites& sites)
      : module_(module), sites_(sites), marks_(module.num_computations(), Mark::kNew) {
    const bool are_in_order = AreInOrder();
    for (ComputationId c = 0; c < module.num_computations(); ++c) {
      if (!are_in_order) {
        Enter(c);
        while (!stack_.empty()) Step();
      } else if (!module.computation(c).removed) {
        order_.push_back(c);
      }
    }
  }

  const std::vector<ComputationId>& order() const { return order_; }
  // An instruction that calls what it is called from; kNoId if there is none.
  InstructionId circle() const { return circle_; }

 private:
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    ComputationId computation;
    size_t site = 0;
    size_t callee = 0;
  };

  // As XLA prints them: what is called stands before its callers. The walk would find this order.
  bool AreInOrder() const {
    for (ComputationId c = 0; c < module_.num_computations(); ++c) {
      for (const InstructionId id : sites_.Of(c)) {
        for (const ComputationId callee : module_.called(id)) {
          if (callee >= c) return false;
        }
      }
    }
    return true;
  }

  void Enter(ComputationId c) {
    if (marks_[c] != Mark::kNew || module_.computation(c).removed) return;
    marks_[c] = Mark::kOpen;
    stack_.push_back({c});
  }

  void Step() {
    Frame& top = stack_.back();
    const auto sites = sites_.Of(top.computation);
    if (top.site == sites.size()) {
      marks_[top.computation] = Mark::kDone;
      order_.push_back(top.computation);
      stack_.pop_back();
      return;
    }
    const InstructionId id = sites[top.site];
    const auto called = module_.called(id);
    if (top.callee == called.size()) {
      ++top.site;
      top.callee = 0;
      return;
    }
    const ComputationId callee = called[top.callee++];
    if (marks_[callee] == Mark::kOpen) circle_ = id;
    Enter(callee);
  }

  const Module& module_;
  const CallSites& sites_;
  std::vector<Mark> marks_;
  std::vector<Frame> stack_;
  std::vector<ComputationId> order_;
  InstructionId circle_ = kNoId;
};

// The first instruction with a chain of more than `limit` computations below it; kNoId if there is
// none.
InstructionId FirstAbove(const Module& module, const CallSites& sites,
                         const std::vector<ComputationId>& callees_first, int limit) {
  std::vector<int> depths(module.num_computations(), 0);  // of what is called
  for (ComputationId c : callees_first) {
    for (InstructionId id : sites.Of(c)) {
      for (ComputationId callee : module.called(id)) {
        depths[c] = std::max(depths[c], depths[callee] + 1);
      }
      if (depths[c] > limit) return id;
    }
  }
  return kNoId;
}

}  // namespace

bool NestsDeeper(const Module& module, int depth) {
  if (module.num_computations() <= static_cast<size_t>(depth)) return false;
  const CallSites sites(module);
  const CalleesFirst computations(module, sites);
  return FirstAbove(module, sites, computations.order(), depth) != kNoId;
}

absl::Status CheckNesting(const Module& module) { return CheckNesting(module, CallSites(module)); }

absl::Status CheckNesting(const Module& module, const CallSites& sites) {
  const CalleesFirst computations(module, sites);
  if (computations.circle() != kNoId) {
    return ErrorAtName(module, computations.circle(),
                       "calls the computation in which it stands, by way of others or not");
  }
  const InstructionId above = FirstAbove(module, sites, computations.order(), kMaxNestedCalls);
  if (above == kNoId) return absl::OkStatus();
  return ErrorAtName(module, above,
                     absl::StrCat("computations call each other more than ", kMaxNestedCalls,
                                  " deep, which is the limit"));
}

absl::Status CheckUnfolded(const Module& module, absl::FunctionRef<bool(InstructionId)> unfolds,
                           absl::string_view what) {
  const CallSites sites(module);
  std::vector<int64_t> sizes(module.num_computations(), 0);
  const CalleesFirst computations(module, sites);
  for (ComputationId c : computations.order()) {
    sizes[c] = static_cast<int64_t>(module.computation(c).instructions.size());
    for (InstructionId id : sites.Of(c)) {
      if (!unfolds(id)) continue;
      for (ComputationId callee : module.called(id)) {
        sizes[c] += sizes[callee];
        if (sizes[c] <= kMaxUnfolded) continue;
        return ErrorAtName(module, id,
                           absl::StrCat(what, " has more than ", kMaxUnfolded, " instructions"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
