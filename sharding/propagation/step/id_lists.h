// IdLists: lists of ids in two flat arrays, one list after the other.
//
//   IdLists lists;
//   lists.Append(7);
//   lists.Append(2);
//   lists.Close();    // lists[0] is {7, 2}
//   lists.Close();    // lists[1] is empty

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_ID_LISTS_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_ID_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tessera::sharding::propagation {

class IdLists {
 public:
  absl::Span<const int32_t> operator[](int32_t list) const {
    return {ids_.data() + begin_[list], static_cast<size_t>(begin_[list + 1] - begin_[list])};
  }
  void Reserve(size_t lists, size_t ids) {
    begin_.reserve(lists + 1);
    ids_.reserve(ids);
  }
  // Appends to the last list.
  void Append(int32_t id) { ids_.push_back(id); }
  // Ends the last list.
  void Close() { begin_.push_back(static_cast<int32_t>(ids_.size())); }

 private:
  std::vector<int32_t> begin_ = {0};
  std::vector<int32_t> ids_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_ID_LISTS_H_
