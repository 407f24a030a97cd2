// cross-slice-rewrites, of permutes: pairs that stay in a slice leave the network.
//
//   p = f32[8] collective-permute(x), pairs {{0,0},{1,9},{9,1}}, of slices of 8 devices
//   ->  a = f32[8] collective-permute(x), pairs {{1,9},{9,1}}
//       b = f32[8] collective-permute(x), pairs {{0,0}}
//       p = select(does the device receive from its slice, b, a)
//
// The compiler has a conditional for b, with a branch for each slice (`localizer`). A device runs one branch.
//
// Found in the final modules of nine training steps. Cost: linear. Tested by ../multislice_test.cc.

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

class PermuteSplit {
 public:
  PermuteSplit(Context& context, InstructionId permute)
      : context_(context), program_(context.program), permute_(permute) {
    for (const auto& pair : hlo::GetSourceTargetPairs(program_.module(), permute)) {
      (Crosses(context.target, pair) ? across_ : inside_).push_back(pair);
    }
  }

  bool IsOfBoth() const { return !inside_.empty() && !across_.empty(); }

  void Run() {
    const layout::Shape shape = program_.shape(permute_);
    const InstructionId across = Permute(across_), inside = Permute(inside_);
    const InstructionId is_inside =
        AddBroadcast(program_, ReceivesInside(), Retyped(shape, layout::ElementType::kPred), {});
    const InstructionId result = program_.Add(program_.computation(permute_), Opcode::kSelect,
                                              "select", shape, {is_inside, inside, across});
    program_.ReplaceUses(permute_, result);
    program_.Remove(permute_);
  }

 private:
  InstructionId Permute(const DevicePairs& pairs) {
    return AddPermute(context_, "cross-slice-rewrites", permute_, program_.computation(permute_),
                      program_.shape(permute_), program_.operand(permute_, 0), pairs);
  }

  InstructionId ReceivesInside() {
    std::vector<int64_t> receives(static_cast<size_t>(context_.groups.num_devices()));
    for (const auto& pair : inside_) receives[static_cast<size_t>(pair.second)] = 1;
    return AddConvert(program_,
                      AddNumberOfDevice(context_, program_.computation(permute_), receives),
                      layout::ElementType::kPred);
  }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId permute_;
  DevicePairs inside_, across_;
};

}  // namespace

absl::Status SplitPermutes(Context& context) {
  if (context.target.slices == 1) return absl::OkStatus();
  for (const InstructionId id : AllInstructions(context.program)) {
    if (context.program.opcode(id) != Opcode::kCollectivePermute) continue;
    if (!context.program.shape(id).is_array()) continue;
    PermuteSplit split(context, id);
    if (split.IsOfBoth()) split.Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
