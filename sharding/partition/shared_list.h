// An immutable list with shared ownership: a copy counts one more owner.
//
//   SharedList<int64_t> a = {3, 5}, b = a;     // one list
//   a.size(), a[1], for (int64_t x : a) ..     // read like a vector, and passed as one
//
// A network has thousands of collectives and a dozen distinct lists of groups. Tested by
// partitioner_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_SHARED_LIST_H_
#define TESSERA_SHARDING_PARTITION_SHARED_LIST_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::sharding::partition {

template <typename T>
class SharedList {
 public:
  using List = std::vector<T>;
  using value_type = T;
  using const_iterator = typename List::const_iterator;

  SharedList() = default;
  SharedList(List list)  // NOLINT: a vector is one
      : list_(list.empty() ? nullptr : std::make_shared<const List>(std::move(list))) {}
  SharedList(std::initializer_list<T> list) : SharedList(List(list)) {}

  operator const List&() const { return list(); }  // NOLINT: as above
  const List& list() const {
    static const List* const kEmpty = new List();
    return list_ == nullptr ? *kEmpty : *list_;
  }
  bool empty() const { return list_ == nullptr; }
  size_t size() const { return list().size(); }
  const T& operator[](size_t i) const { return (*list_)[i]; }
  const_iterator begin() const { return list().begin(); }
  const_iterator end() const { return list().end(); }

  // Of this list and its copies alone, while one of them lives; null if it is empty.
  const void* identity() const { return list_.get(); }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.list_ == b.list_ || a.list() == b.list();
  }
  friend bool operator!=(const SharedList& a, const SharedList& b) { return !(a == b); }

 private:
  std::shared_ptr<const List> list_;  // null: empty
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_SHARED_LIST_H_
