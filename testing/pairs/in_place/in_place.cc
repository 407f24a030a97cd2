// An in-place result is compared with its source in three steps, computation by computation:
//
//   text      every line of the source must be there, in order and byte for byte, once shardings
//             and `xla.sdy.*` attributes are taken off and operands are traced back to what they
//             were (through inserted copies, to the original of a clone, past what was consumed)
//   wiring    for every operand leaf of every user, the copies between it and its value must be the
//             multiset that the table lists, and a user of a split constant must read the right
//             copy
//   shardings leaf by leaf
//
// Example: `%a = add(%x.reshard, %y)` matches `%a = add(%x, %y)`, and the table must have a row
// that says that a reads x through one copy of that sharding.

#include "tessera/testing/pairs/in_place/in_place.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"
#include "tessera/testing/pairs/in_place/line_text.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

// Frame lines of the result without those of added computations and the blank lines after them.
std::vector<string_view> KnownFrame(const Dump& before, const Dump& actual) {
  std::vector<string_view> lines;
  bool added = false;
  for (const FrameLine& frame : actual.frame()) {
    if (!frame.computation.empty() && before.Get(frame.computation) == nullptr) {
      added = true;
    } else if (added && frame.computation.empty() && frame.line.empty()) {
      added = false;
    } else {
      lines.push_back(frame.line);
    }
  }
  return lines;
}

// Everything that is not an instruction.
void CompareFrame(const Dump& before, const Dump& actual, std::vector<std::string>& differences) {
  std::vector<std::string> expected;
  for (const FrameLine& frame : before.frame()) {
    expected.push_back(absl::StartsWith(frame.line, "HloModule ") ? ExpectedModuleLine(frame.line)
                                                                  : std::string(frame.line));
  }
  const std::vector<string_view> found = KnownFrame(before, actual);
  for (size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    if (expected[i] == found[i]) continue;
    differences.push_back(absl::StrCat("text: expected ", expected[i].substr(0, 300), ", actual ",
                                       found[i].substr(0, 300)));
    return;
  }
  if (expected.size() != found.size()) {
    differences.push_back(absl::StrCat("text: ", expected.size(),
                                       " lines outside of instructions, actual ", found.size()));
  }
}

bool SomeSharding(const LeafShardings& leaves) {
  for (const auto& [path, sharding] : leaves) {
    if (!sharding.empty()) return true;
  }
  return false;
}

void CompareResults(const Dump& before, const Table& table, const Dump& actual,
                    Spellings& spellings, std::vector<std::string>& differences) {
  const Computation& entry = actual.entry();
  const Instruction& root = entry.instructions[entry.root];
  const bool tuple = absl::StartsWith(root.shape, "(");
  if (tuple && root.opcode != "tuple" && before.entry().Get(root.name) != nullptr) return;
  if (table.results.empty()) return;
  LeafShardings expected = table.results;
  if (tuple && !SomeSharding(expected)) expected = {{Path(), ""}};
  CompareLeaves("result", expected, root, spellings, differences);
}

}  // namespace

std::vector<std::string> CompareInPlace(const Dump& before, const Table& table, const Dump& actual,
                                        Spellings& spellings) {
  std::vector<std::string> differences;
  if (!before.readable() || !actual.readable()) return {"a module without an entry"};
  CompareFrame(before, actual, differences);
  for (const Computation& c : before.computations()) {
    const Computation* other = actual.Get(c.name);
    if (other == nullptr) {
      differences.push_back(absl::StrCat("missing: computation ", c.name));
      continue;
    }
    const auto rows = table.computations.find(std::string(c.name));
    InPlaceComputation(c, *other, rows == table.computations.end() ? nullptr : &rows->second,
                       spellings, differences)
        .Run();
  }
  CompareResults(before, table, actual, spellings, differences);
  return differences;
}

}  // namespace tessera::testing::pairs
