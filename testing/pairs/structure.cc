// Two modules are the same if their roots compute the same. Pairs of instructions come from a work
// list, which starts with the entry roots. Opcode, shape, attributes and literal must agree. Then
// their operands become pairs, position by position. So do the roots, parameters and side effects
// of the computations that they call. Each pair is compared once, so the cost is linear in the
// number of pairs; a value that both modules share in the same way is one pair.
//
// Example: `add(a, a)` against `add(b, c)` gives the pairs (a, b), (a, c): equal if b and c are
// copies of the same expression. Sharing is not compared as such. Tested by pairs_test.cc.

#include "tessera/testing/pairs/structure.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/effects.h"
#include "tessera/testing/pairs/meaning.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kHeader[] = {"entry_computation_layout",
                                   "input_output_alias",
                                   "buffer_donor",
                                   "num_partitions",
                                   "replica_count",
                                   "allow_spmd_sharding_propagation_to_parameters",
                                   "allow_spmd_sharding_propagation_to_output",
                                   "frontend_attributes"};

class Comparison {
 public:
  Comparison(const Dump& expected, const Dump& actual, Spellings& spellings)
      : expected_(expected), actual_(actual), spellings_(spellings) {}

  std::vector<std::string> Run() {
    Header();
    Enter(&expected_.entry(), &actual_.entry());
    while (!todo_.empty()) {
      const Item item = todo_.back();
      todo_.pop_back();
      Visit(item);
    }
    return std::move(differences_);
  }

 private:
  struct Item {
    const Computation* a;
    const Computation* b;
    const Instruction* x;
    const Instruction* y;
  };

  void Header() {
    for (string_view key : kHeader) {
      const string_view a = Find(expected_.attributes(), key);
      const string_view b = Find(actual_.attributes(), key);
      if (a != b)
        differences_.push_back(absl::StrCat("header: expected ", key, "=", a, ", actual ", b));
    }
  }

  void Differ(const Computation& a, const std::string& text) {
    differences_.push_back(absl::StrCat(a.name, ": ", text));
  }

  void Enter(const Computation* a, const Computation* b) {
    if (!entered_.emplace(a, b).second) return;
    if (a->root < 0 || b->root < 0) return Differ(*a, "a computation without instructions");
    Add({a, b, &a->Root(), &b->Root()});
    Lists(a, b, Of(*a, a->Parameters()), Of(*b, b->Parameters()), "parameters");
    Lists(a, b, LooseEffects(expected_, *a), LooseEffects(actual_, *b), "side effects");
  }

  static std::vector<const Instruction*> Of(const Computation& c,
                                            const std::vector<int>& positions) {
    std::vector<const Instruction*> found;
    for (int i : positions) found.push_back(&c.instructions[i]);
    return found;
  }

  void Lists(const Computation* a, const Computation* b,
             const std::vector<const Instruction*>& left,
             const std::vector<const Instruction*>& right, string_view what) {
    if (left.size() != right.size()) {
      Differ(*a, absl::StrCat(what, ": expected ", left.size(), ", actual ", right.size()));
      return;
    }
    for (size_t i = 0; i < left.size(); ++i) Add({a, b, left[i], right[i]});
  }

  void Add(const Item& item) {
    if (item.x == nullptr || item.y == nullptr)
      return Differ(*item.a, "an operand that is not there");
    if (seen_.emplace(item.x, item.y).second) todo_.push_back(item);
  }

  void Visit(const Item& item) {
    const Instruction& x = *item.x;
    const Instruction& y = *item.y;
    if (!SameMeaning(x, y)) {
      Differ(*item.a, absl::StrCat(x.name, " is ", Shown(x), "; ", y.name, " is ", Shown(y)));
      return;
    }
    if (!spellings_.Same(x.sharding(), y.sharding())) {
      Differ(*item.a, absl::StrCat("sharding of ", x.name, ": expected ", x.sharding(), ", actual ",
                                   y.name, " has ", y.sharding()));
    }
    if (x.has_literal()) return;
    Lists(item.a, item.b, Operands(*item.a, x), Operands(*item.b, y),
          absl::StrCat("operands of ", x.name));
    Calls(item);
  }

  static std::vector<const Instruction*> Operands(const Computation& c, const Instruction& i) {
    std::vector<const Instruction*> found;
    for (string_view name : i.operands) found.push_back(c.Get(name));
    return found;
  }

  void Calls(const Item& item) {
    const std::vector<string_view> a = CalledComputations(*item.x);
    const std::vector<string_view> b = CalledComputations(*item.y);
    if (a.size() != b.size()) {
      Differ(*item.a, absl::StrCat(item.x->name, " calls ", a.size(), " computations, ",
                                   item.y->name, " ", b.size()));
      return;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      const Computation* left = expected_.Get(a[i]);
      const Computation* right = actual_.Get(b[i]);
      if (left == nullptr || right == nullptr) {
        Differ(*item.a, absl::StrCat(item.x->name, " calls an unknown computation"));
      } else {
        Enter(left, right);
      }
    }
  }

  const Dump& expected_;
  const Dump& actual_;
  Spellings& spellings_;
  std::vector<std::string> differences_;
  std::vector<Item> todo_;
  absl::flat_hash_set<std::pair<const Computation*, const Computation*>> entered_;
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> seen_;
};

}  // namespace

std::vector<std::string> CompareStructure(const Dump& expected, const Dump& actual,
                                          Spellings& spellings) {
  if (!expected.readable() || !actual.readable()) return {"a module without an entry"};
  return Comparison(expected, actual, spellings).Run();
}

}  // namespace tessera::testing::pairs
