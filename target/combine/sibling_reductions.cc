#include "tessera/target/combine/sibling_reductions.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

// Element-wise operations between a reduction and what it shares with another one, as the gradients of a norm have.
constexpr int kMostSteps = 3;
constexpr size_t kMostNear = 4;  // readers of one array that are compared with a further one
constexpr size_t kLongWalk = 4096;
constexpr size_t kMostMembers = 16;  // of a set

struct Reduction {
  InstructionId id;
  KernelId user;                     // the kernel that it is, or is fused into
  std::vector<KernelId> read;        // by what is fused into it
  std::vector<InstructionId> whole;  // what it reads of its own shape, a few steps back
};

struct Set {
  std::vector<KernelId> users, read;
};

struct Pair {
  size_t shared;      // arrays that both read
  size_t one, other;  // by their places in the row of reductions
};

class Siblings {
 public:
  Siblings(const DeviceProgram& program, ComputationId c, KernelGraph* graph)
      : program_(program),
        graph_(*graph),
        instructions_(program.module().computation(c).instructions) {
    for (KernelId k = 0; k < graph_.instructions.size(); ++k) of_[graph_.instructions[k]] = k;
    places_.resize(graph_.operands.size());
    uint32_t next = 0;
    for (const KernelId k : PostOrder(graph_)) places_[k] = next++;
  }

  void Add() {
    for (const InstructionId id : instructions_) {
      if (!IsOfOneArray(id)) continue;
      const auto user = UserOf(id);
      if (user.has_value()) reductions_.push_back({id, *user, ReadBy(id), WholeOf(id)});
    }
    for (const Reduction& r : reductions_) {
      of_set_.push_back(sets_.size());
      sets_.push_back({{r.user}, r.read});
    }
    for (const Pair& pair : Pairs()) {
      const size_t from = of_set_[pair.other], into = of_set_[pair.one];
      if (from != into && MayJoin(sets_[from], sets_[into])) Join(from, into);
    }
    for (size_t r = 0; r < sets_.size(); ++r) {
      if (sets_[r].users.size() > 1) AddKernel(reductions_[r].id, std::move(sets_[r]));
    }
  }

 private:
  bool IsOfOneArray(InstructionId id) const {
    return !program_.IsRemoved(id) && program_.opcode(id) == Opcode::kReduce &&
           program_.operands(id).size() == 2 && program_.shape(id).rank() > 0;
  }

  std::optional<KernelId> UserOf(InstructionId id) const {
    while (id != kNoId) {
      const auto found = of_.find(id);
      if (found != of_.end()) return found->second;
      id = program_.OnlyUser(id);
    }
    return std::nullopt;
  }

  std::vector<KernelId> ReadBy(InstructionId id) const {
    std::vector<KernelId> read;
    absl::flat_hash_set<InstructionId> seen;
    std::vector<InstructionId> open = {program_.operand(id, 0)};
    while (!open.empty()) {
      const InstructionId top = open.back();
      open.pop_back();
      if (!seen.insert(top).second) continue;
      const auto kernel = of_.find(top);
      if (kernel != of_.end()) {
        read.push_back(kernel->second);
      } else {
        absl::c_copy(program_.operands(top), std::back_inserter(open));
      }
    }
    return read;
  }

  // No array that is repeated or counted.
  std::vector<InstructionId> WholeOf(InstructionId id) const {
    std::vector<InstructionId> whole;
    AddWhole(program_.operand(id, 0), kMostSteps, &whole);
    return whole;
  }

  void AddWhole(InstructionId id, int steps, std::vector<InstructionId>* whole) const {
    const Opcode opcode = program_.opcode(id);
    if (opcode == Opcode::kBroadcast || opcode == Opcode::kIota || opcode == Opcode::kConstant)
      return;
    if (!absl::c_linear_search(*whole, id)) whole->push_back(id);
    if (steps == 0 || !projection::IsElementwise(opcode)) return;
    if (opcode == Opcode::kConvert) steps = 1;  // what is widened is stored as it was
    for (const InstructionId operand : program_.operands(id)) {
      if (program_.shape(operand).dims() == program_.shape(id).dims())
        AddWhole(operand, steps - 1, whole);
    }
  }

  // Those that share most come first. Of many that read one array, only near ones.
  std::vector<Pair> Pairs() const {
    absl::flat_hash_map<InstructionId, std::vector<size_t>> readers;
    std::vector<Pair> pairs;
    for (size_t r = 0; r < reductions_.size(); ++r) {
      absl::btree_map<size_t, size_t> shared;
      for (const InstructionId id : reductions_[r].whole) {
        std::vector<size_t>& others = readers[id];
        for (size_t k = others.size(); k > 0 && others.size() - k < kMostNear; --k)
          ++shared[others[k - 1]];
        others.push_back(r);
      }
      for (const auto& [other, count] : shared) {
        if (SizesOf(r) == SizesOf(other)) pairs.push_back({count, other, r});
      }
    }
    absl::c_stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.shared > b.shared; });
    return pairs;
  }

  absl::Span<const int64_t> SizesOf(size_t r) const {
    return program_.shape(program_.operand(reductions_[r].id, 0)).dims();
  }

  bool MayJoin(const Set& a, const Set& b) const {
    const auto is_of_b = [&](KernelId user) { return absl::c_linear_search(b.users, user); };
    return a.users.size() + b.users.size() <= kMostMembers && absl::c_none_of(a.users, is_of_b) &&
           !Needs(a.read, b.users) && !Needs(b.read, a.users);
  }

  // A walk that takes long says yes.
  bool Needs(std::vector<KernelId> open, absl::Span<const KernelId> wanted) const {
    const auto place = [&](KernelId k) { return places_[k]; };
    const KernelId first =
        *absl::c_min_element(wanted, [&](KernelId a, KernelId b) { return place(a) < place(b); });
    absl::flat_hash_set<KernelId> seen;
    while (!open.empty()) {
      const KernelId top = open.back();
      open.pop_back();
      if (place(top) < place(first) || !seen.insert(top).second) continue;
      if (absl::c_linear_search(wanted, top) || seen.size() == kLongWalk) return true;
      absl::c_copy(graph_.operands[top], std::back_inserter(open));
    }
    return false;
  }

  void Join(size_t from, size_t into) {
    absl::c_move(sets_[from].users, std::back_inserter(sets_[into].users));
    absl::c_move(sets_[from].read, std::back_inserter(sets_[into].read));
    sets_[from] = {};
    absl::c_replace(of_set_, from, into);
  }

  void AddKernel(InstructionId first, Set set) {
    const auto kernel = static_cast<KernelId>(graph_.operands.size());
    for (const KernelId user : set.users) graph_.operands[user].push_back(kernel);
    graph_.instructions.push_back(first);
    graph_.operands.push_back(std::move(set.read));
  }

  const DeviceProgram& program_;
  KernelGraph& graph_;
  const std::vector<InstructionId>& instructions_;
  absl::flat_hash_map<InstructionId, KernelId> of_;
  std::vector<uint32_t> places_;  // by kernel: in post-order
  std::vector<Reduction> reductions_;
  std::vector<size_t> of_set_;  // by reduction
  std::vector<Set> sets_;
};

}  // namespace

void AddSiblingReductions(const DeviceProgram& program, ComputationId c, KernelGraph* graph) {
  Siblings(program, c, graph).Add();
}

}  // namespace tessera::target
