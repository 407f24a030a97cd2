// Asynchronous pairs: each `*-start` has one user, the `*-done` that ends it (an async-start also
// an update on the way). What send and recv give may pass through a tuple, so only the end of a
// chain without one is checked.
//
// One walk over the operands of a computation counts the users: linear.

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"

namespace tessera::hlo {
namespace {

struct Ends {
  Opcode done;
  Opcode also;  // another user that is allowed
};

// By the opcode that starts a pair.
constexpr OpcodeTable<Ends> kEnds({
    {Opcode::kAllGatherStart, {Opcode::kAllGatherDone, Opcode::kAllGatherDone}},
    {Opcode::kAllReduceStart, {Opcode::kAllReduceDone, Opcode::kAllReduceDone}},
    {Opcode::kCollectivePermuteStart,
     {Opcode::kCollectivePermuteDone, Opcode::kCollectivePermuteDone}},
    {Opcode::kCopyStart, {Opcode::kCopyDone, Opcode::kCopyDone}},
    {Opcode::kAsyncStart, {Opcode::kAsyncDone, Opcode::kAsyncUpdate}},
    {Opcode::kAsyncUpdate, {Opcode::kAsyncDone, Opcode::kAsyncUpdate}},
    {Opcode::kSend, {Opcode::kSendDone, Opcode::kTuple}},
    {Opcode::kRecv, {Opcode::kRecvDone, Opcode::kTuple}},
});

struct Users {
  int count = 0;
  InstructionId last = kNoId;
};

absl::Status CheckPair(const Module& module, const Ends& ends, const Users& users) {
  const absl::string_view done = OpcodeName(ends.done);
  if (users.count == 0) return Mismatch("no ", done, " ends it");
  const Instruction& user = module.instruction(users.last);
  if (user.opcode != ends.done && user.opcode != ends.also) {
    return Mismatch("its user should be ", done, ", not ", OpcodeName(user.opcode), " '", user.name,
                    "'");
  }
  if (users.count > 1 && ends.also != Opcode::kTuple) {
    return Mismatch("has ", users.count, " users but should have one, ", done);
  }
  return absl::OkStatus();
}

}  // namespace

bool StartsPair(Opcode opcode) { return kEnds.Contains(opcode); }

void CheckAsyncPairs(const Module& module, ComputationId c, const Reporter& report) {
  absl::flat_hash_map<InstructionId, Users> users;
  const auto& instructions = module.computation(c).instructions;
  for (InstructionId id : instructions) {
    if (StartsPair(module.instruction(id).opcode)) users.try_emplace(id);
  }
  for (InstructionId id : instructions) {
    for (InstructionId operand : module.operands(id)) {
      const auto found = users.find(operand);
      if (found != users.end()) found->second = {found->second.count + 1, id};
    }
  }
  for (InstructionId id : instructions) {
    const Opcode opcode = module.instruction(id).opcode;
    if (StartsPair(opcode)) report(id, CheckPair(module, kEnds[opcode], users.at(id)));
  }
}

}  // namespace tessera::hlo
