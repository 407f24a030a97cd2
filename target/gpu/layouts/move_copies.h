// Where an array is moved into another order: XLA's reshape-decomposer and move_copy_to_users.
//
//   n = f32[64,128] negate(x)      // x lies in {0,1} and is wanted in {1,0}
//
// A move in front of an operation on cells, a slice, a pad, a reverse or a window goes after it. There it may
// meet others. In front of a reduction it is dropped. A reshape that moves becomes one that does not, after
// or in front of a move.
//
// Cost: linear in the operands. Tested by layout_assignment_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_MOVE_COPIES_H_
#define TESSERA_TARGET_GPU_LAYOUTS_MOVE_COPIES_H_

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"

namespace tessera::target {

// The orders of layout assignment, with what was changed since.
class DecidedOrders {
 public:
  explicit DecidedOrders(const LayoutConstraints& layouts) : layouts_(layouts) {}

  const ArrayBuffers& buffers() const { return layouts_.buffers(); }
  const Order& OrderOf(const BufferId& buffer) const;
  // Of the array that an instruction is.
  const Order& OrderOf(InstructionId id) const { return OrderOf(buffers().Of(id)); }
  // None where nothing is asked for.
  const Order* PreferenceOf(const OperandId& operand) const;

  void SetPreference(const OperandId& operand, Order order);
  // The instruction makes its array in this order; its readers still want the one before.
  void MakeIn(InstructionId id, const Order& order);

 private:
  const LayoutConstraints& layouts_;
  absl::flat_hash_map<BufferId, Order> orders_;
  absl::flat_hash_map<OperandId, Order> preferences_;
};

// `order` has each instruction of a computation after its operands.
void MoveCopiesToUsers(const DeviceProgram& program, absl::Span<const InstructionId> order,
                       DecidedOrders& decided);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_MOVE_COPIES_H_
