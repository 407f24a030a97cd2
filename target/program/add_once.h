// Instructions in a row, each once.
//
//   AddOnce(id, &row, &seen);   // `row` has the type of a vector, `seen` is empty at the beginning
//
// Most rows are short, and are looked through faster than a set is made.

#ifndef TESSERA_TARGET_PROGRAM_ADD_ONCE_H_
#define TESSERA_TARGET_PROGRAM_ADD_ONCE_H_

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

template <typename Ids>
void AddOnce(hlo::InstructionId id, Ids* row, absl::flat_hash_set<hlo::InstructionId>* seen) {
  constexpr size_t kShort = 16;
  if (row->size() == kShort) seen->insert(row->begin(), row->end());
  const bool is_new =
      row->size() < kShort ? !absl::c_linear_search(*row, id) : seen->insert(id).second;
  if (is_new) row->push_back(id);
}

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_ADD_ONCE_H_
