// One computation of an in-place result against its source; see in_place.cc.

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_COMPUTATION_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_COMPUTATION_H_

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/spelling.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

// Adds what differs between the shardings of `i` and the expected ones of its leaves.
void CompareLeaves(const std::string& about, const LeafShardings& expected, const Instruction& i,
                   Spellings& spellings, std::vector<std::string>& differences);

// Of a new instruction: it pads a change of unreduced axes, or cuts that off.
inline bool CarriesPadding(const Instruction& i) {
  return i.opcode == "pad" || i.opcode == "slice";
}

class InPlaceComputation {
 public:
  // `rows` null: a computation that the result does not need, whose shardings are free.
  InPlaceComputation(const Computation& before, const Computation& after, const Rows* rows,
                     Spellings& spellings, std::vector<std::string>& differences)
      : old_(before), new_(after), rows_(rows), spellings_(spellings), differences_(differences) {}

  void Run();

 private:
  // The value after an operand of the result, and what lies between.
  struct Traced {
    Leaf value;
    std::vector<Insertion> inserted;
    absl::string_view copy;  // which clone, or the value itself
  };

  // What is inserted in front of a user too often, or too seldom.
  struct Misplaced {
    std::string user, value, kind, sharding;
    int missing = 0;  // negative: unexpected
  };

  void Differ(absl::string_view kind, const std::string& text);
  bool SameInstructions();
  void FindClones();

  // Text.
  void CompareText();
  void CompareLine(const Instruction& x, const Instruction& y);
  void CompareBoundary(const Instruction& x, const Instruction& y);
  absl::string_view ElementSource(const Computation& c, const Instruction& i) const;
  std::string OldName(absl::string_view name) const;
  std::string NewName(absl::string_view name) const;
  absl::string_view ConversionSource(const Instruction& i) const;
  std::string Plain(absl::string_view line, bool is_call, bool is_old) const;

  // Wiring.
  void CompareWiring();
  void CompareUser(absl::string_view user, absl::string_view base);
  void CompareUses(absl::string_view user, absl::string_view base, bool boundary,
                   std::vector<Insertion>& got);
  std::vector<std::pair<int, Path>> Slots(absl::string_view user) const;
  Leaf TraceOld(absl::string_view name, Path path) const;
  Traced TraceNew(absl::string_view name, Path path);
  absl::string_view BoundaryOperand(const Instruction& x, size_t leaf);
  void CompareInserted(absl::string_view user, std::vector<Insertion> got);
  bool StandsBeside(const Misplaced& unexpected, const Misplaced& missing) const;
  void SettleMisplaced();
  void CompareClones();
  bool SamePresent(const std::string& name, const std::vector<SplitConstant>& copies);
  void CompareReaders(const std::string& name, const std::vector<SplitConstant>& copies);
  void CompareUnused();

  void CompareShardings();

  bool IsConsumed(absl::string_view name) const { return consumed_.contains(name); }

  const Computation& old_;
  const Computation& new_;
  const Rows* rows_;
  Spellings& spellings_;
  std::vector<std::string>& differences_;
  absl::flat_hash_set<absl::string_view> consumed_;
  absl::flat_hash_map<absl::string_view, absl::string_view> clones_;  // clone -> original
  absl::flat_hash_set<absl::string_view> used_;
  std::vector<Misplaced> misplaced_;
  // Split constant -> (user, copy that it reads).
  absl::flat_hash_map<std::string, std::set<std::pair<std::string, std::string>>> uses_;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_COMPUTATION_H_
