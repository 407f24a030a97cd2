// The counterparts of the instructions of the source, as far as the text of the source shows them.
//
//   Counterparts became(matching);
//   became.Of(c, i);              // all places that stand for instruction i of computation c
//   became.Local(c, i);           // those in the computations that c became
//   became.Users({&c, &i}, y);    // who reads the copy y of i, by their names in the source
//
// Copies of the source that something is read through count as matched, too: those that have the
// op_name of one after the pass, or, without an op_name, the copy nearest to the value. Of several
// copies of a value that a loop captures, the source has room for the first; the others, and what
// only they read, are dropped.
//
// Cost: a pass over the edges of the matching for each chain of dropped values.

#ifndef TESSERA_TESTING_PAIRS_TABLE_COUNTERPARTS_H_
#define TESSERA_TESTING_PAIRS_TABLE_COUNTERPARTS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/loose_view.h"
#include "tessera/testing/pairs/table/matching.h"

namespace tessera::testing::pairs {

// Which copies after the pass are those of the source: (before, after), by position in both lists.
std::vector<std::pair<size_t, size_t>> PairCopies(const std::vector<Value>& before,
                                                  const std::vector<Value>& after);

class Counterparts {
 public:
  explicit Counterparts(const Matching& matching);

  std::vector<Place> Of(const Computation& c, const Instruction& i) const;
  // Without the ones that the source has no room for, unless all are such.
  std::vector<Place> Local(const Computation& c, const Instruction& i) const;
  const std::set<std::string>& Users(const Place& before, const Place& after) const;

 private:
  void FindCopies();
  void FindDropped();
  void FindUsers();

  const Matching& m_;
  std::map<Place, Place> copies_;
  std::set<Place> dropped_;
  std::map<std::pair<Place, Place>, std::set<std::string>> users_;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_COUNTERPARTS_H_
