// The signature of an HLO instruction.
//
//   absl::StatusOr<Signature> s = SignatureOf(module, id);
//   absl::StatusOr<std::vector<Need>> needs = Project(*s, *ZRange::Parse("zr[0:8, 0:4]"));
//
// The index space is made of the coordinates of one array of the result: of the first one unless
// the options say otherwise. Signature::operands has one entry for each array of each operand, so
// that an operand that is no tuple has one. Every opcode has an answer; one
// without a rule of its own needs its whole operands, and Signature::note says so. Errors:
// kNotSupported for dimensions without a bound, kOverflow.
//
// The module is one that hlo::VerifyModule accepts.
//
// A signature may refer to the module (fusions, calls, loops do): the module must outlive it,
// unchanged.
#ifndef TESSERA_PROJECTION_SIGNATURES_SIGNATURE_OF_H_
#define TESSERA_PROJECTION_SIGNATURES_SIGNATURE_OF_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

// Assumptions about starts and indices that are data.
enum class IndexPolicy {
  kConstant,  // constants are used where they are known, every value the semantics allow elsewhere
  kBound,     // every value that the semantics allow, also for constants
  kWhole,     // the whole operand
};

struct FlowMemo;  // flow.h

struct SignatureOptions {
  int leaf = 0;  // which array of the result, in order of the text
  bool split =
      false;  // one more axis for each reduced dimension, where the operation has a split form
  IndexPolicy indices = IndexPolicy::kConstant;
  FlowMemo* flows = nullptr;  // for signatures of one module: called computations are read once
};

absl::StatusOr<Signature> SignatureOf(const hlo::Module& module, hlo::InstructionId id,
                                      const SignatureOptions& options = {});

// The arrays of a shape, in order of the text; tokens and opaque handles left out.
std::vector<const layout::Shape*> ArrayLeaves(const layout::Shape& shape);
// Which of them is the first one of each element of a tuple; at the end how many there are.
std::vector<int> ArrayStarts(const layout::Shape& tuple);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_SIGNATURE_OF_H_
