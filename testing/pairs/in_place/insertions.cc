#include "tessera/testing/pairs/in_place/insertions.h"

#include <tuple>

#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

class InsertionFinder {
 public:
  explicit InsertionFinder(const Counterparts& became) : became_(became) {}

  std::map<std::string, std::vector<Insertion>> inserted;

  void Add(const Edge& e) {
    std::map<size_t, size_t> own;
    for (const auto& [i, j] : PairCopies(e.before.passed, e.after.passed)) own[j] = i;
    size_t place = 0;  // copies of the source passed so far
    for (size_t j = 0; j < e.after.passed.size(); ++j) {
      const auto known = own.find(j);
      const Instruction& y = *e.after.passed[j].instruction;
      if (known == own.end() || IsAnother(e, known->second, y)) AddPassed(e, y, place);
      if (known != own.end()) place = known->second + 1;
    }
  }

 private:
  // `y` stands where copy `i` of the source does, but for another reader it became a copy with
  // another sharding: the line in place can show one of them, what lies after it the other.
  bool IsAnother(const Edge& e, size_t i, const Instruction& y) const {
    const std::vector<Place> own = became_.Of(*e.computation, *e.before.passed[i].instruction);
    return own.size() == 1 && own[0].instruction->sharding() != y.sharding();
  }

  void AddPassed(const Edge& e, const Instruction& y, size_t place) {
    const bool is_copy = y.opcode == "copy";
    if (!is_copy && y.target() != kShardToFull) return;
    const std::vector<Value>& passed = e.before.passed;
    const Value& value = place < passed.size() ? passed[place] : e.before.value;
    const std::string user(place == 0 ? e.user : passed[place - 1].instruction->name);
    if (place > 0 && first_.emplace(user, &e).first->second != &e) return;
    inserted[user].push_back({{std::string(value.instruction->name), value.path},
                              is_copy ? "copy" : "convert",
                              std::string(y.sharding())});
  }

  const Counterparts& became_;
  std::map<std::string, const Edge*> first_;  // the first edge that leads through a copy
};

}  // namespace

std::map<std::string, std::vector<Insertion>> FindInsertions(const Derivation& derivation,
                                                             const Computation& c) {
  InsertionFinder finder(derivation.became);
  for (const auto& [key, edges] : derivation.m.edges()) {
    if (std::get<0>(key) == &c) finder.Add(edges[0]);
  }
  return std::move(finder.inserted);
}

}  // namespace tessera::testing::pairs
