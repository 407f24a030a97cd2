// In which order each array of a program lies in memory, as XLA's layout assignment decides it.
//
//   LayoutConstraints layouts(program, computations, 90);      // Hopper
//   layouts.OrderOf({id, 0});          // of the array that id makes
//   layouts.PreferenceOf({user, k});         // of operand k of user; another one than that of the array: a copy
//   layouts.BordersOf(c);              // of what the computation c takes and gives
//
// Orders that must be so come first: the entry's arguments and results, products with a batch, collectives,
// whose dimension must be the most major one. From there orders spread, depth first, to operands and to
// readers: an operation on cells has one order for all; a transpose or a reshape the order that makes it
// free. An order that must be so replaces another one; one that need not be replaces only one of a lower
// rank. Where nothing more spreads, loops and their bodies tell each other (loop_orders.cc). All others have
// the default order. wanted_orders.cc has what must be so, order_rules.h how an operation hands orders on.
//
// Cost: linear in the operands, times how often an order is replaced, which has a bound: the operands of an
// instruction are gone through once for each order that is spread among them. Tested by
// layout_constraints_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_
#define TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/target/gpu/layouts/buffers.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Of the arrays that a computation takes and gives.
struct BorderOrders {
  std::vector<Order> arguments;  // by element of its parameter, or by parameter of the entry
  std::vector<Order> results;    // by element of its root
};

class LayoutConstraints {
 public:
  // `computations` are those that run. A callee stands before its caller, the entry last. The compute capability
  // of the GPU, times ten, decides how products of floats of eight bits read their operands.
  LayoutConstraints(DeviceProgram& program, std::vector<ComputationId> computations,
                    int compute_capability);

  const ArrayBuffers& buffers() const { return buffers_; }
  const Order& OrderOf(const BufferId& buffer) const { return orders_.at(buffer).order; }
  // None where nothing is asked for.
  const Order* PreferenceOf(const OperandId& operand) const;
  BorderOrders BordersOf(ComputationId c) const;

 private:
  // How strongly an order holds, and when it is spread.
  struct Force {
    bool must = false;
    bool deep = true;
    int rank = 0;  // -1 of an operand that decides last
  };
  struct Constraint {
    Order order;
    Force force;
    int replaced = 0;
  };
  struct Added {
    enum class Kind { kBuffer, kOperand, kResults } kind;
    BufferId buffer;
    OperandId operand;
    Force force;
  };
  // A loop or a branch: where each array of the tuple that it carries is, by element.
  struct Carried {
    enum Place { kInit, kTaken, kTested, kGiven, kResult, kPlaces };
    std::vector<BufferId> at[kPlaces];
    std::vector<bool>
        has_news[kPlaces];  // what this place tells the others of the element is not told yet
    bool has_any_news[kPlaces];
  };

  static constexpr Force kMust = {true, true, 0};
  static constexpr Force kMay = {false, true, 0};

  // wanted_orders.cc
  void AddWanted(ComputationId c);
  void AddArguments(ComputationId c);
  bool WantsRows(InstructionId dot) const;
  void AddOfDot(InstructionId id);
  void AddOfBatchedProduct(InstructionId id);
  void AddOfTranspose(InstructionId id);
  void AddOfCollective(InstructionId id);
  void AddOfConvolution(InstructionId id);
  void AddRows(InstructionId id);
  void AddOfTriangularSolve(InstructionId id);
  void AddOfInstruction(InstructionId id);
  void SetInstruction(InstructionId id, const Order& order);
  void SetResults();
  void SetRows(const BufferId& buffer, Force force);

  // loop_orders.cc
  void AddCalls(ComputationId c);
  void AddLoop(InstructionId loop);
  void AddBranches(InstructionId conditional);
  void AddCarried(Carried carried);
  std::vector<BufferId> SourcesOf(InstructionId tuple) const;
  void Tell(Carried& loop, Carried::Place from);
  bool TellElement(const Carried& loop, Carried::Place from, size_t leaf);
  void NoteNews(const BufferId& buffer);
  bool TellPlace(const BufferId& place, const Order& order, bool replaces);
  void TellLoops();
  void SpreadAll();
  void Agree();
  std::vector<Order> ResultsOf(ComputationId c) const;
  void SpreadToCarried(const BufferId& buffer, const Order& order);

  // By element.
  std::vector<Order> OrdersOf(InstructionId id) const;

  void SetBuffer(const BufferId& buffer, const Order& order, Force force);
  void SetOperand(const OperandId& operand, const Order& order, Force force);
  void Add(const Added& added);

  // spread_orders.cc
  void Spread();
  void TakeAdded();
  void SpreadBuffer(const BufferId& buffer);
  void SpreadToOperand(const BufferId& buffer, size_t k, const Constraint& now);
  void SpreadOperand(const OperandId& operand);
  void SpreadToSiblings(const OperandId& operand, const Constraint& preference);
  bool IsLargest(const OperandId& operand);

  DeviceProgram& program_;  // for its post orders
  const std::vector<ComputationId> computations_;
  const int compute_capability_;
  const ArrayBuffers buffers_;
  absl::flat_hash_map<BufferId, Constraint> orders_;
  absl::flat_hash_map<OperandId, Constraint> preferences_;
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, Order>
      spread_;                                           // among operands of this rank
  absl::flat_hash_map<InstructionId, int64_t> largest_;  // operand of a concatenate
  std::vector<Carried> carried_;
  // Of what is carried: in which of carried_, and which element.
  absl::flat_hash_map<BufferId, absl::InlinedVector<std::pair<size_t, size_t>, 2>> places_;
  bool has_news_ = true;  // one of them was settled since loops told each other
  absl::flat_hash_map<InstructionId, BufferId> next_;  // what a body gives, to where it takes it
  absl::flat_hash_map<ComputationId, InstructionId> caller_;  // of bodies and branches
  std::vector<Added> added_;
  std::deque<Added> open_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_
