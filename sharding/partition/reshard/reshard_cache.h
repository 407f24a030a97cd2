// The cache of reshards: what each node was resharded to, and its inputs of windows.
//
//   ReshardCache cache;
//   const auto form = cache.FormOf(target, base, tiling, scope);    // equal arguments, equal form
//   cache.Put(x, {scope, form, y});                                 // x was resharded to y
//   for (const ReshardCache::Entry& entry : cache.Of(x)) ..         // in the order of Put
//
// Target, shape and tiling stand in a form that all layers of a network share. So an entry is a few
// numbers, quick to copy and to compare. One cache serves all scopes; an entry has the number of
// its scope. XLA: PartitionedHlo::ReshardCache.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_CACHE_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/reshard/recipe.h"
#include "tessera/sharding/partition/reshard/stable_list.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"
#include "tessera/sharding/partition/tiling/tiling.h"
#include "tessera/sharding/partition/tiling/tiling_numbers.h"

namespace tessera::sharding::partition {

using NodeId = int32_t;
class DeviceGroupScope;

class ReshardCache {
 public:
  using FormId = int32_t;
  struct Form {
    Tiling target;  // what was wished
    bool is_window = false;
    // Of a reshard: its result.
    const layout::Shape* base = nullptr;
    Tiling tiling;
    int32_t scope = 0;  // number of the scope that it lies in
    // Of a window: the requested one, and the window that remains for the shard.
    hlo::Window window, left;
    bool slice_output = false;
    std::vector<TableId> output_starts;
  };
  struct Entry {
    int32_t scope = 0;  // number of the scope that remembers
    FormId form = 0;
    NodeId node = -1;                // what it became
    DeviceGroupScope* at = nullptr;  // of a reshard: where that lies
  };

  // Room for so many nodes.
  void Reserve(size_t nodes) { first_.reserve(nodes); }

  // `base` is one of Graph::Kept.
  FormId FormOf(const Tiling& target, const layout::Shape* base, const Tiling& tiling,
                int32_t scope);
  FormId FormOf(const Tiling& target, const hlo::Window& window, const hlo::Window& left,
                bool slice_output, const std::vector<TableId>& output_starts);
  uint64_t NumberOf(const Tiling& tiling) { return tiling_numbers_.Of(tiling); }
  const Form& form(FormId id) const { return At(forms_, id); }

  // A reshard of an equal key in the same scope is forgotten for it.
  void Put(NodeId node, const Entry& entry);

 private:
  static constexpr int32_t kEnd = -1;
  struct Link {
    Entry entry;
    int32_t next;
  };

 public:
  // Entries of one node; good until the next Put.
  class Entries {
   public:
    class Iterator {
     public:
      Iterator(const std::vector<Link>& links, int32_t at) : links_(&links), at_(at) {}
      const Entry& operator*() const { return At(*links_, at_).entry; }
      Iterator& operator++() {
        at_ = At(*links_, at_).next;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const std::vector<Link>* links_;
      int32_t at_;
    };
    Entries(const std::vector<Link>& links, int32_t first) : links_(&links), first_(first) {}
    Iterator begin() const { return {*links_, first_}; }
    Iterator end() const { return {*links_, kEnd}; }

   private:
    const std::vector<Link>* links_;
    int32_t first_;
  };
  Entries Of(NodeId node) const { return {links_, First(node)}; }
  bool Has(NodeId node) const { return First(node) != kEnd; }

 private:
  int32_t First(NodeId node) const { return node < Size(first_) ? At(first_, node) - 1 : kEnd; }
  template <typename Make>
  FormId Numbered(Numbering::Words words, const Make& make);

  StableList<Form> forms_;
  Numbering form_numbers_;
  TilingNumbers tiling_numbers_;
  std::vector<int32_t> first_;  // by node, into links_, plus one; 0: none
  std::vector<Link> links_;
};

bool SameWindow(const hlo::Window& a, const hlo::Window& b);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_CACHE_H_
