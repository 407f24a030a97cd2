// A dot in windows (ops/dot/windows.h) as the loop that XLA writes: computations called
// windowed_dot_general_body_ag and _cond_ag, _rs where the result moves.
//
//   WindowLoop loop(tools, windows, dot);
//   InstructionId result = loop.Write(lhs, rhs, &body);
//
// The state is a tuple of left operand, right operand, result, what goes around the other way, and a counter. In both
// directions (on n devices, n a multiple of four) a trip does four products: of the shards that come from after and
// from ahead. Two at a time are one dot with a dimension of two more. Else a trip does one, and a conditional sends
// the shard on but for the last time.
//
// Offsets are looked up by the number of the device whose shard is multiplied. Shards are of equal
// size; padding of the last one is zero and is cut off in the end. Tested by
// testing/partition/device_run_test.cc, which runs it.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_WINDOW_LOOP_H_
#define TESSERA_SHARDING_PARTITION_EMIT_WINDOW_LOOP_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/ops/dot/convolution.h"
#include "tessera/sharding/partition/reshard/recipe.h"

namespace tessera::sharding::partition {

class WindowLoop {
 public:
  using Id = hlo::InstructionId;
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  // What the expander does for it.
  struct Tools {
    const hlo::Module* input = nullptr;
    hlo::Module* module = nullptr;
    std::function<BodyWriter(absl::string_view name)> new_body;
    std::function<Id(BodyWriter*, absl::string_view name, const layout::Shape&)> parameter;
    std::function<Id(BodyWriter*, Id operand, const Pairs&)> permute;
  };

  // `dot`: the instruction of the input that is done so.
  WindowLoop(Tools tools, const recipe::Windows& windows, Id dot);

  // Of the shards of both operands.
  Id Write(Id lhs, Id rhs, BodyWriter* body);

 private:
  using Kind = recipe::Windows::Kind;
  using Parts = std::vector<recipe::Windows::Part>;
  // The elements of the state.
  struct State {
    Id lhs = 0, rhs = 0, out = 0, around = 0, trip = 0;
  };
  // Numbers of the devices whose shards come from after and from ahead.
  struct Sources {
    Id after = 0, ahead = 0;
  };

  bool IsScatter() const { return windows_.kind == Kind::kScatter; }
  bool InBothDirections() const { return windows_.in_both_directions; }
  bool AddsToOut() const { return windows_.kind == Kind::kContracting || IsScatter(); }
  Id& Moving(State& state) const { return windows_.lhs_moves ? state.lhs : state.rhs; }
  Id& Staying(State& state) const { return windows_.lhs_moves ? state.rhs : state.lhs; }
  // What goes back around the ring.
  Id& Sent(State& state) const { return IsScatter() ? state.out : Moving(state); }

  // --- The loop (window_loop.cc) -----------------------------------------------------------------
  State Begin(Id lhs, Id rhs, BodyWriter* body) const;
  std::vector<int64_t> PaddedOut() const;
  layout::Shape StateShape(const State& state, const BodyWriter& body) const;
  State Unpack(BodyWriter* body, const layout::Shape& shape) const;
  Id Pack(BodyWriter* body, const State& state, const layout::Shape& shape) const;
  hlo::ComputationId Condition(const layout::Shape& shape) const;
  hlo::ComputationId TripInBothDirections(const layout::Shape& shape) const;
  hlo::ComputationId TripOneWay(const layout::Shape& shape) const;
  Id SendUnlessLast(BodyWriter* body, Id trip, Id sent) const;
  Id Finish(BodyWriter* body, Id loop) const;

  // --- A product (window_product.cc) -------------------------------------------------------------
  // Of the state with what comes from ahead; of a scatter, `around` gets its part.
  void MultiplyTwo(BodyWriter* body, Id ahead, State* state, Id* around) const;
  void MultiplyOne(BodyWriter* body, State* state) const;
  Sources SourcesOf(BodyWriter* body, Id trip) const;
  // The parts of what stays that belong to both, along a dimension of two in front of the cut one.
  Id TakeTwo(BodyWriter* body, Id whole, const Sources& sources) const;
  Id TakeOne(BodyWriter* body, Id whole, Id source) const;
  Id Padded(BodyWriter* body, Id whole) const;
  // One of the two halves of a product.
  Id Half(BodyWriter* body, Id product, int64_t which) const;
  Id Place(BodyWriter* body, Id out, Id part, Id source) const;
  // The number of the device in its group.
  Id Number(BodyWriter* body) const;
  // s32[]: starts[source]
  Id StartOf(BodyWriter* body, const recipe::Windows::Part& part, Id source) const;
  // Of two shards, or of twice two along the dimension of two.
  Id Product(BodyWriter* body, Id lhs, Id rhs, bool of_two) const;
  Id Dot(BodyWriter* body, Id lhs, Id rhs, const hlo::DotDimensions& dims) const;
  Id Convolve(BodyWriter* body, Id lhs, Id rhs, bool of_two) const;
  hlo::DotDimensions DimsWithTwo() const;

  // --- Small steps -------------------------------------------------------------------------------
  Id U32(BodyWriter* body, int64_t value) const;
  Id Two(BodyWriter* body, hlo::Opcode opcode, Id a, Id b) const;  // of the shape of `a`
  Id Next(BodyWriter* body, Id trip) const;
  // With a dimension of one more, and without a dimension.
  Id WithOne(BodyWriter* body, Id id, int64_t dim) const;
  Id Without(BodyWriter* body, Id id, int64_t dim) const;
  Id ReshapedTo(BodyWriter* body, Id id, absl::Span<const int64_t> dims) const;
  Id SliceTo(BodyWriter* body, Id id, absl::Span<const int64_t> starts,
             absl::Span<const int64_t> limits) const;

  const Tools tools_;
  const recipe::Windows& windows_;
  const Id dot_;
  const DotDims dims_;
  // Where a product of two has the dimension of two; -1: nowhere.
  int64_t lhs_two_ = -1, rhs_two_ = -1, out_two_ = -1;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_WINDOW_LOOP_H_
