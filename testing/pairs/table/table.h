// The table of expected shardings of a pair (a .map file), in terms of the module before the pass.
//
//   R  {0}           {replicated}            leaf of the module's result
//   C  main.1        main.2                  the rows below belong to this computation
//   =  add.3         {devices=[2]<=[2]}      a value, or NAME{1,0} for a leaf of a tuple; - is none
//   *  constant.1    {replicated}  add.3     one copy of a split constant, and who uses it
//   +  dot.5  x      copy  {devices=..}      inserted between a user and a value
//   -  custom-call.1                         consumed
//   ?  add.9                                 unchecked

#ifndef TESSERA_TESTING_PAIRS_TABLE_TABLE_H_
#define TESSERA_TESTING_PAIRS_TABLE_TABLE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

// A value: an instruction and a path into its tuple.
struct Leaf {
  std::string name;
  Path path;
  friend bool operator==(const Leaf& a, const Leaf& b) {
    return a.name == b.name && a.path == b.path;
  }
};
std::string ToString(const Leaf& leaf);
Leaf ParseLeaf(absl::string_view text);  // NAME or NAME{1,0}

// Shardings by leaf in the order of the rows; an empty text is "no attribute".
using LeafShardings = std::vector<std::pair<Path, std::string>>;

struct SplitConstant {
  std::string sharding;
  std::vector<std::string> users;
};

struct Insertion {
  Leaf value;
  std::string kind;  // "copy" or "convert"
  std::string sharding;
};

struct Rows {
  absl::flat_hash_map<std::string, LeafShardings> shardings;
  std::map<std::string, std::vector<SplitConstant>> copies;
  std::map<std::string, std::vector<Insertion>> inserted;  // by user
  absl::flat_hash_set<std::string> unchecked;
};

struct Table {
  LeafShardings results;
  absl::flat_hash_map<std::string, Rows> computations;
};

Table ParseTable(absl::string_view text);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_TABLE_H_
