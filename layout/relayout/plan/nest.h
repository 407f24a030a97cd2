// Loops that copy a regular part of an array, and how they are made few and wide.
//
//   Nest nest;                                   // a row of pairs of 16-bit elements
//   nest.src_bits = nest.dst_bits = 16;
//   nest.loops = {{64, 32, 64}, {2, 16, 16}};
//   CleanUp(&nest);                              // src_bits 32, loops {{64, 32, 64}}
//
// Everything is counted in bits, so that packed elements are nothing special. Strides are never
// negative.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_NEST_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_NEST_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace tessera::layout::relayout {

struct Loop {
  int64_t extent = 1;
  int64_t src = 0;  // stride on each side
  int64_t dst = 0;

  friend bool operator==(const Loop& a, const Loop& b) {
    return a.extent == b.extent && a.src == b.src && a.dst == b.dst;
  }
};

using Loops = absl::InlinedVector<Loop, 8>;

struct Nest {
  int64_t src = 0;  // where the first element lies
  int64_t dst = 0;
  // Size of an element; the two differ only when elements are repacked.
  int64_t src_bits = 8;
  int64_t dst_bits = 8;
  Loops loops;  // outermost first
};

// Drops loops of one turn, merges two that are one, and takes loops over adjacent elements into the
// element. The loops left are in order of falling destination stride.
void CleanUp(Nest* nest);

// True if no address is inside a byte, on both sides.
bool InWholeBytes(const Nest& nest);

// Product of the extents.
int64_t TripCount(const Loops& loops);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_NEST_H_
