// Two modules are the same if their roots compute the same. Starting from the entry roots, pairs of
// instructions are taken from a work list: what they are must agree (opcode, shape, attributes,
// literal), and then their operands become pairs, position by position, and so do the roots, the
// parameters and the side effects of the computations that they call. A pair is looked at once, so
// the cost is linear in the number of pairs; a value that both modules share in the same way is one
// pair.
//
// What XLA's own reader takes for the same is the same: `constant(-0)` is read as the integer 0,
// and a scan without is_associative is one that is not. A dump from memory may print either.
//
// Example: `add(a, a)` against `add(b, c)` gives the pairs (a, b), (a, c): equal if b and c are
// copies of the same expression. Sharing is not compared as such.

#include "tessera/testing/pairs/structure.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kIgnored[] = {"metadata",
                                    "sharding",
                                    "frontend_attributes",
                                    "backend_config",
                                    "control-predecessors",
                                    "origin",
                                    "original_value",
                                    "custom_call_has_side_effect",
                                    "channel_id"};

constexpr string_view kHeader[] = {"entry_computation_layout",
                                   "input_output_alias",
                                   "buffer_donor",
                                   "num_partitions",
                                   "replica_count",
                                   "allow_spmd_sharding_propagation_to_parameters",
                                   "allow_spmd_sharding_propagation_to_output",
                                   "frontend_attributes"};

constexpr string_view kEffects[] = {"outfeed", "send", "send-done", "infeed", "recv", "rng"};

template <typename List>
bool Contains(const List& list, string_view item) {
  for (string_view known : list) {
    if (known == item) return true;
  }
  return false;
}

bool HasEffect(const Instruction& i) {
  // The side effect of a marker only keeps it alive on its way to the pass.
  if (IsMarker(i.target())) return false;
  return i.Attribute("custom_call_has_side_effect") == "true" || Contains(kEffects, i.opcode);
}

// Attributes that say what is computed; of equal text on both sides if the instructions are equal.
std::vector<std::pair<string_view, string_view>> Meaning(const Instruction& i) {
  std::vector<std::pair<string_view, string_view>> meaning;
  for (const auto& attribute : i.attributes) {
    if (Contains(kIgnored, attribute.first) || NamesComputations(attribute.first)) continue;
    if (attribute.first == "is_associative" && attribute.second == "false") continue;
    meaning.push_back(attribute);
  }
  std::sort(meaning.begin(), meaning.end());
  return meaning;
}

// The text of a literal as XLA reads it: -0 has no sign, -0.5 has.
std::string ReadLiteral(string_view text) {
  std::string read;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(text[i - 1]));
    const bool zero = starts && text[i] == '-' && i + 1 < text.size() && text[i + 1] == '0';
    const char next = zero && i + 2 < text.size() ? text[i + 2] : ',';
    if (zero && (next == ',' || next == ' ' || next == '}' || next == ')')) continue;
    read.push_back(text[i]);
  }
  return read;
}

bool SameLiterals(const Instruction& x, const Instruction& y) {
  if (x.operands == y.operands) return true;
  if (x.operands.size() != y.operands.size()) return false;
  for (size_t i = 0; i < x.operands.size(); ++i) {
    if (ReadLiteral(x.operands[i]) != ReadLiteral(y.operands[i])) return false;
  }
  return true;
}

std::string Shown(const Instruction& i) {
  std::string text = absl::StrCat(i.shape, " ", i.opcode);
  if (i.has_literal()) absl::StrAppend(&text, "(", i.operands[0].substr(0, 60), ")");
  for (const auto& [key, value] : Meaning(i)) absl::StrAppend(&text, ", ", key, "=", value);
  return text;
}

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
    Add({a, b, &a->instructions[a->root], &b->instructions[b->root]});
    Lists(a, b, Of(*a, a->Parameters()), Of(*b, b->Parameters()), "parameters");
    Lists(a, b, Effects(*a), Effects(*b), "side effects");
  }

  static std::vector<const Instruction*> Of(const Computation& c,
                                            const std::vector<int>& positions) {
    std::vector<const Instruction*> found;
    for (int i : positions) found.push_back(&c.instructions[i]);
    return found;
  }

  // Instructions with side effects that the root does not reach, in order.
  static std::vector<const Instruction*> Effects(const Computation& c) {
    absl::flat_hash_set<const Instruction*> live;
    std::vector<const Instruction*> todo = {&c.instructions[c.root]};
    while (!todo.empty()) {
      const Instruction* i = todo.back();
      todo.pop_back();
      if (!live.insert(i).second || i->has_literal()) continue;
      for (string_view name : i->operands) {
        if (const Instruction* operand = c.Get(name)) todo.push_back(operand);
      }
    }
    std::vector<const Instruction*> found;
    for (const Instruction& i : c.instructions) {
      if (HasEffect(i) && !live.contains(&i)) found.push_back(&i);
    }
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
    const bool literal_differs = x.has_literal() && !SameLiterals(x, y);
    if (x.opcode != y.opcode || x.shape != y.shape || literal_differs || Meaning(x) != Meaning(y)) {
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
