// File: plan.h
//
// Plan: what the driver asks of a program again and again, worked out once into flat arrays.
//
//   Plan plan(program);
//   plan.tensors(op);    // the values whose shardings a step of `op` reads: operands, then results
//   plan.wakes(value);   // the ops to wake after a write to `value`, in order
//   plan.touched(value); // the ops whose steps read `value`
//
// Values in it are homes (Program::home): the values that hold the shardings.
//
// wakes() is what the reference notifies, which is not the same as touched(): an operand of a named
// or manual computation does not wake the edge that reads it, and the terminator of a while's
// condition wakes the edge of result 0.

#ifndef TESSERA_SHARDING_PROPAGATION_PLAN_H_
#define TESSERA_SHARDING_PROPAGATION_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/propagation/program.h"

namespace tessera::sharding::propagation {

// Lists of ids, one after the other.
class IdLists {
 public:
  absl::Span<const int32_t> operator[](int32_t list) const {
    return {ids_.data() + begin_[list], static_cast<size_t>(begin_[list + 1] - begin_[list])};
  }
  void Reserve(size_t lists, size_t ids) {
    begin_.reserve(lists + 1);
    ids_.reserve(ids);
  }
  // Appends to the last list.
  void Append(int32_t id) { ids_.push_back(id); }
  // Ends the last list.
  void Close() { begin_.push_back(static_cast<int32_t>(ids_.size())); }

  // For each of `n` ids the lists that name it, ascending; a list that names it twice counts once.
  IdLists Inverse(int32_t n) const;

 private:
  int32_t size() const { return static_cast<int32_t>(begin_.size()) - 1; }

  std::vector<int32_t> begin_ = {0};
  std::vector<int32_t> ids_;
};

class Plan {
 public:
  // The program must outlive the plan.
  explicit Plan(const Program& program);

  // Does `o` have a step? (True too while its rule is not known yet.)
  bool has_step(OpId o) const { return has_step_[o]; }
  // Empty for ops without a step.
  absl::Span<const ValueId> tensors(OpId o) const { return tensors_[o]; }
  // Ops that could not do anything are left out.
  absl::Span<const OpId> wakes(ValueId v) const { return wakes_[v]; }
  absl::Span<const OpId> touched(ValueId v) const { return touched_[v]; }

 private:
  void FillTensors();
  void FillWakes();
  void WakeUsers(ValueId v);
  OpId WokenBy(Use use) const;
  OpId EdgeOf(OpId o, int32_t result) const;
  void Wake(OpId o);

  const Program& program_;
  std::vector<bool> has_step_;
  IdLists tensors_;
  IdLists wakes_;
  IdLists touched_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PLAN_H_
