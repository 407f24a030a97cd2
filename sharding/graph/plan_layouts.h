// Layouts of a plan's nodes: those that XLA's builder gives to what it makes anew.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_LAYOUTS_H_
#define TESSERA_SHARDING_GRAPH_PLAN_LAYOUTS_H_

#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::graph {

// An array that is laid out row-major, without anything more; or no array.
bool HasDefaultLayout(const layout::Shape& shape);

// The shape with every array laid out row-major: what a value has that comes from outside.
layout::Shape WithDefaultLayout(const layout::Shape& shape);

// Which operand's layout the result of an op takes over; -1 for ops that take over none.
int FollowedOperand(hlo::Opcode opcode);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_LAYOUTS_H_
