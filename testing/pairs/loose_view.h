// One computation of a dump, seen as values and their users, whatever packs or copies them.
//
//   LooseView view(dump, computation);
//   Traced t = view.Trace("t.1", {2});       // leaf 2 of %t.1
//   t.value;                                 // the instruction and leaf that make it
//   t.passed;                                // copies and constraints, user's side first
//
// Looked through are tuples and their elements, copies, the pass's own marker calls, reshapes to
// the same dimensions, and elements of loops that never change.

#ifndef TESSERA_TESTING_PAIRS_LOOSE_VIEW_H_
#define TESSERA_TESTING_PAIRS_LOOSE_VIEW_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

struct Value {
  const Instruction* instruction = nullptr;
  Path path;
  friend bool operator==(const Value& a, const Value& b) {
    return a.instruction == b.instruction && a.path == b.path;
  }
  friend bool operator<(const Value& a, const Value& b) {
    return std::tie(a.instruction, a.path) < std::tie(b.instruction, b.path);
  }
};

inline bool IsLoop(const Value& v) { return v.instruction->opcode == "while"; }

struct Traced {
  Value value;  // without an instruction if the text names none
  std::vector<Value> passed;
  bool marked = false;  // a barrier or another marker that the pass consumes was on the way
};

// The metadata's op_name; empty if there is none.
absl::string_view OpName(const Instruction& i);

class LooseView {
 public:
  // `varying`: how many leaves of each loop's state change, by loop; where it is missing, the body
  // tells. `boundaries`: op_names of the shard_maps of the source; a conversion under another name
  // was inserted and is looked through. Both only for a module after the pass.
  LooseView(const Dump& dump, const Computation& computation) : dump_(dump), c_(computation) {}

  const Computation& computation() const { return c_; }
  void set_boundaries(const std::set<absl::string_view>* names) { boundaries_ = names; }
  void SetVarying(const Instruction& loop, size_t count);

  Traced Trace(absl::string_view name, Path path) const;
  // All leaves of several instructions, in order.
  std::vector<Traced> Leaves(const std::vector<absl::string_view>& names) const;
  // Leaves of a loop's state that its body may change.
  const std::vector<Path>& Varying(const Instruction& loop) const;
  // The value that an inserted change of unreduced axes converts; empty for any other instruction.
  absl::string_view ConvertedBy(const Instruction& i) const;
  // Cuts off what a change of unreduced axes was padded with.
  bool CutsPadding(const Instruction& i) const;

 private:
  bool PassesOn(const Instruction& i) const;
  std::vector<Path> FindVarying(const Instruction& loop) const;

  const Dump& dump_;
  const Computation& c_;
  const std::set<absl::string_view>* boundaries_ = nullptr;
  mutable std::map<const Instruction*, std::vector<Path>> varying_;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_LOOSE_VIEW_H_
