// Signature: the index space of an operation and how every block of it reads the operands and
// writes the results.
//
//   absl::StatusOr<Signature> s = SignatureOf(module, id);      // signatures/signature_of.h
//   absl::StatusOr<std::vector<Need>> needs = Project(*s, *ZRange::Create({0, 0}, {8, 4}));
//   (*needs)[0].cells                     // of operand 0, exactly
//   (*needs)[0].used_fraction             // of its bounding box
//
// The default index space is the coordinates of the result ("block form"), with reductions folded
// into the shapes of regions. Split form appends one axis for each reduced dimension, so that
// reductions can be cut (partial.h).
#ifndef TESSERA_PROJECTION_SIGNATURE_SIGNATURE_H_
#define TESSERA_PROJECTION_SIGNATURE_SIGNATURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/set/set.h"
#include "tessera/projection/signature/access.h"

namespace tessera::projection {

enum class AxisKind {
  kParallel,   // every index writes cells of its own
  kReduction,  // contributions to one cell, in any grouping; cut with partial results
  kOrdered,    // contributions whose order is part of the meaning; not to be cut
  kWindow,     // taps inside one region
  kOpaque,     // the operation wants the whole extent
};
const char* AxisKindName(AxisKind kind);  // "parallel" ...

struct Axis {
  std::string name;
  AxisKind kind = AxisKind::kParallel;
  int64_t extent = 0;
};

// How near the regions are to what is really read.
enum class Exactness {
  kExact,
  kExactIfConstant,  // exact, by the constant indices of the operation
  kBound,            // data decides; contains what any run can read
  kOpaque,           // whole extents, because the operation mixes them
};
const char* ExactnessName(Exactness e);  // "exact", "exact (constant indices)", "bound", "opaque"

// A row of a map whose window is the range of a start that is data. One cell of it is read, further
// on (sign 1) or before (sign -1) as the start grows.
struct RuntimeStart {
  int row;
  int sign;
};

struct OperandAccess {
  std::string role;          // "lhs", "init", ...; "operand" without one of its own
  ZPoint shape;              // of the operand
  std::vector<Access> maps;  // the need is their union; none: no cell is ever needed
  std::vector<RuntimeStart> starts = {};
};

// Storage inside the operation that grows with the block: partial sums, padded copies.
struct ScratchBuffer {
  std::string name;
  ZProjection projection;
  int64_t element_bytes = 0;
};

struct Signature {
  ZRange index;
  std::vector<Axis> axes;  // as many as the rank of `index`
  std::vector<OperandAccess> operands;
  std::vector<ZProjection> results;  // which cells of each result an index writes
  std::vector<ZPoint> result_shapes;
  std::vector<ScratchBuffer> internals;
  Exactness exactness = Exactness::kExact;
  std::string note;  // why it is a bound, or that there is no rule
};

// The part of one operand that a block needs.
struct Need {
  ZSet cells;
  std::optional<ZRange> bounding;  // none: no cell
  double used_fraction = 1;        // cells by cells of the bounding box; 1 when there is none
  bool exact = true;  // false: `cells` is the bounding box, the set took too many pieces
};

// One entry for each operand. The block lies in s.index: kOutOfBounds.
absl::StatusOr<std::vector<Need>> Project(const Signature& s, const ZRange& block,
                                          int64_t limit = kDefaultLimit);
absl::StatusOr<Need> ProjectOperand(const Signature& s, int operand, const ZRange& block,
                                    int64_t limit = kDefaultLimit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_SIGNATURE_H_
