// Names made unique the way XLA does it.
//
//   UniqueNames names;
//   names.Unique("p");      // "p"
//   names.Unique("p");      // "p.1"
//   names.Unique("x.01");   // "x.1": a numbered name is taken apart
//
// Each root of a name has a set of numbers that are taken and a counter; amortised constant time. Numbers
// are bits where they stand close enough, as most do, and in a hash set where they do not.

#ifndef TESSERA_HLO_UNIQUE_NAMES_H_
#define TESSERA_HLO_UNIQUE_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace tessera::hlo {

class UniqueNames {
 public:
  // The name itself if it is free, else one that is; it is taken then.
  std::string Unique(absl::string_view name);
  // Unique(), for a name that is given already.
  void Take(absl::string_view name) { Find(name); }

 private:
  // A name taken apart, and the number that it gets.
  struct Found {
    absl::string_view root, number;  // as written; no number: empty
    int64_t id = 0;
    bool is_as_written = false;
  };
  class Numbers {
   public:
    bool Contains(int64_t id) const {
      const auto word = static_cast<uint64_t>(id) / 64;
      if (word < bits_.size() && (bits_[word] >> (id % 64) & 1) != 0) return true;
      return !others_.empty() && others_.contains(id);
    }
    void Add(int64_t id);

   private:
    std::vector<uint64_t> bits_;
    absl::flat_hash_set<int64_t> others_;
    uint64_t size_ = 0;
  };
  struct Taken {
    Numbers ids;
    int64_t next = 0;
  };

  Found Find(absl::string_view name);

  absl::flat_hash_map<std::string, Taken> roots_;
};

// A name with every character that XLA does not allow replaced: "1a b" gives "_a_b", "f32" gives
// "f32_", "__x" gives "a_x".
std::string SanitizeName(absl::string_view name);
bool IsSaneName(absl::string_view name);  // SanitizeName would leave it as it is

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_UNIQUE_NAMES_H_
