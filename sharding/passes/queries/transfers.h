// A transfer is one op to the reference, two instructions in HLO: send and send-done, recv and
// recv-done. The user's shardings on the first count for the results of the second. At the end the
// first shows the shardings of those:
//
//   send       ({s}, {s}, {s})    send-done  {s}
//   recv       ({d}, {d}, {t})    recv-done  ({d}, {t})

#ifndef TESSERA_SHARDING_PASSES_QUERIES_TRANSFERS_H_
#define TESSERA_SHARDING_PASSES_QUERIES_TRANSFERS_H_

#include <vector>

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

inline bool BeginsTransfer(const Op& op) {
  return op.kind == OpKind::kHlo &&
         (op.opcode == hlo::Opcode::kSend || op.opcode == hlo::Opcode::kRecv);
}
inline bool EndsTransfer(const Op& op) {
  return op.kind == OpKind::kHlo &&
         (op.opcode == hlo::Opcode::kSendDone || op.opcode == hlo::Opcode::kRecvDone);
}

// The op that reads the result of `begin`; null if the transfer has no end.
inline Op* EndOfTransfer(const Op& begin) {
  for (const Value& result : begin.results) {
    for (Use* use = result.first_use(); use != nullptr; use = use->next()) {
      if (EndsTransfer(*use->user())) return use->user();
    }
  }
  return nullptr;
}

// The data of each result of the end, from that of each leaf of `begin`.
template <typename T>
std::vector<T> AtEndOfTransfer(const Op& begin, const std::vector<T>& leaves) {
  if (begin.opcode == hlo::Opcode::kSend) return {leaves.front()};
  std::vector<T> results = leaves;
  results.erase(results.end() - 2);  // the u32[] between data and token
  return results;
}

// The data of each leaf of `begin`, from that of each result of the end.
template <typename T>
std::vector<T> AtBeginOfTransfer(const Op& begin, const std::vector<T>& results) {
  if (begin.opcode == hlo::Opcode::kSend) return std::vector<T>(begin.results.size(), results[0]);
  std::vector<T> leaves = results;
  leaves.insert(leaves.end() - 1, results[0]);
  return leaves;
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_TRANSFERS_H_
