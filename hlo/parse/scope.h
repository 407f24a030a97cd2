// The parser's state of the computation that it is reading: names so far, root, parameters.

#ifndef TESSERA_HLO_PARSE_SCOPE_H_
#define TESSERA_HLO_PARSE_SCOPE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/name_ids.h"

namespace tessera::hlo {

struct Scope {
  NameIds names;
  std::vector<InstructionId> instructions;
  std::vector<InstructionId> parameters;  // by number; kNoId for one not seen yet
  InstructionId root = kNoId;
  bool has_errors = false;
  ComputationId expected_id = 0;  // right unless computations come in between
  // Names whose definitions failed: mistakes that follow from that are not reported.
  absl::flat_hash_set<absl::string_view> poisoned;
  // get-tuple-elements made from `x#1`.
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, InstructionId> elements;

  void Clear() {
    names.Clear();
    instructions.clear();
    parameters.clear();
    root = kNoId;
    has_errors = false;
    poisoned.clear();
    elements.clear();
  }
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_SCOPE_H_
