// Regions through a whole computation: from a block of its root, or of another instruction, back to
// its parameters.
//
//   absl::StatusOr<Flow> flow = Flow::Create(module, computation, options);
//   // the sets of the parameter arrays that are needed
//   absl::StatusOr<Flow::Needs> needs = flow->Parameters(leaf, cells, limit);
//   // and for every array on the way
//   absl::StatusOr<Flow::Demands> demands = flow->Arrays(leaf, cells, limit);
#ifndef TESSERA_PROJECTION_SIGNATURES_FLOW_H_
#define TESSERA_PROJECTION_SIGNATURES_FLOW_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/projection/signatures/passed_on.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {

class Flow {
 public:
  // Cells by instruction and number of the array of its result.
  using Demands = std::map<std::pair<hlo::InstructionId, int>, ZSet>;
  // Cells by place in parameter_shapes(); no entry where nothing is needed.
  using Needs = std::map<size_t, ZSet>;

  // Signatures of all instructions that the root depends on. The module must outlive the flow.
  // `options` have a FlowMemo.
  static absl::StatusOr<Flow> Create(const hlo::Module& module, hlo::ComputationId computation,
                                     const SignatureOptions& options);
  // The same from this instruction in place of the root.
  static absl::StatusOr<Flow> CreateTo(const hlo::Module& module, hlo::InstructionId last,
                                       const SignatureOptions& options);

  // What cells of array `leaf` of the root need of the arrays of the parameters. Needs through several paths are united; a set of too many pieces becomes the
  // box around it. The last answers are kept, since every parameter of a call asks the same.
  // kTooLarge after a million questions: functions that call each other on shifted blocks ask
  // without end.
  absl::StatusOr<Needs> Parameters(int leaf, const ZSet& cells, int64_t limit) const;
  // The same of every array that is needed of anything, the block itself among them.
  absl::StatusOr<Demands> Arrays(int leaf, const ZSet& cells, int64_t limit) const;
  // The arrays of all parameters, in order of parameter number.
  const std::vector<ZPoint>& parameter_shapes() const { return parameter_shapes_; }
  // The weakest of the signatures on the way.
  Exactness exactness() const { return exactness_; }
  // Of an instruction on the way; null for a parameter, and for one that only passes arrays on. Its
  // exactness and its note are those of this array of the result, the rest is of one like it.
  const Signature* signature(hlo::InstructionId id, int leaf) const;

 private:
  struct Answers;
  class Walk;
  explicit Flow(const hlo::Module* module) : module_(module), passed_on_(module) {}
  absl::Status Add(hlo::InstructionId id, const SignatureOptions& options);
  absl::Status AddSignature(hlo::InstructionId id, int leaf, const SignatureOptions& options);
  absl::StatusOr<Signature> SignatureAgain(hlo::InstructionId id, int leaf) const;
  absl::StatusOr<Needs> Trace(int leaf, const ZSet& cells, int64_t limit) const;
  absl::Status Pass(hlo::InstructionId id, int leaf, const ZSet& cells, int64_t limit,
                    Walk* walk) const;
  absl::Status PassThrough(const Signature& s, hlo::InstructionId id, const ZSet& cells,
                           int64_t limit, Walk* walk) const;

  const hlo::Module* module_;
  PassedOn passed_on_;
  hlo::ComputationId computation_ = 0;
  hlo::InstructionId last_ = hlo::kNoId;
  absl::flat_hash_map<hlo::InstructionId, size_t> places_;  // among those of the computation
  std::vector<ZPoint> parameter_shapes_;
  std::vector<size_t> first_arrays_;  // of each parameter, in parameter_shapes_
  IndexPolicy indices_ = IndexPolicy::kConstant;
  // Of operations with many arrays that are all alike, of one of these.
  absl::flat_hash_map<std::pair<hlo::InstructionId, int>, Signature> signatures_;
  absl::flat_hash_map<hlo::InstructionId, int> alike_;  // which array that is
  absl::flat_hash_map<hlo::ComputationId, std::shared_ptr<const Flow>> called_;
  Exactness exactness_ = Exactness::kExact;
  std::shared_ptr<Answers> answers_;
};

using SharedFlow = std::shared_ptr<const Flow>;

// The flows of called computations.
struct FlowMemo {
  absl::flat_hash_map<hlo::ComputationId, SharedFlow> made;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_FLOW_H_
