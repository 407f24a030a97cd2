#include "tessera/target/fusion/kept_values.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/apart_scores.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/fusion/late_reads.h"
#include "tessera/target/fusion/moved_reads.h"
#include "tessera/target/fusion/update_kernels.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

// Shares and counts that were chosen on whole steps. Long spans of 4 to 8 nodes and short ones of 2 to 16
// give the same.
constexpr double kSameShare = 1.05;
constexpr int kLongSpan = 8, kShortSpan = 8;
constexpr size_t kFewSlices = 3;
constexpr int kLongChain = 16;
constexpr int64_t kRowShare = 16;
constexpr int kProductBits = 16;  // a product narrows a wider operand itself

class KeepRule {
 public:
  KeepRule(const Dataflow& flow, absl::Span<const int64_t> bytes, const Chip& chip)
      : flow_(flow),
        bytes_(bytes),
        chip_(chip),
        readers_(flow),
        reads_(flow, &readers_, bytes),
        moved_(flow, &readers_) {
    kept_.is_kept.resize(flow.values.size());
    kept_.sources.resize(flow.values.size());
    kept_.updates = FindUpdates(flow, &readers_);
    has_heavy_.resize(flow.values.size());
    has_product_.resize(flow.values.size());
    has_quotient_.resize(flow.values.size());
  }

  KeptValues Run() {
    Visit(0);
    return std::move(kept_);
  }

 private:
  void Visit(ScopeId s) {
    for (const ValueId v : flow_.scopes[s].parameters) kept_.Keep(v);
    for (const NodeId n : flow_.scopes[s].nodes) {
      const Node& node = flow_.nodes[n];
      for (const ScopeId body : node.bodies) Visit(body);
      for (size_t k = 0; k < node.results.size(); ++k) {
        const ValueId v = node.results[k];
        kept_.CollectSources(node, k);
        if (IsKept(node, v)) {
          kept_.Keep(v);
        } else {
          has_heavy_[v] = CombinesHeavy(node);
          has_product_[v] = ComputesProduct(node);
          has_quotient_[v] = ComputesQuotient(node, v);
        }
      }
    }
  }

  bool CombinesHeavy(const Node& node) const {
    if (IsProduct(node.opcode) || IsReduction(node.opcode)) return true;
    return absl::c_any_of(node.operands, [&](ValueId v) { return has_heavy_[v]; });
  }

  bool ComputesProduct(const Node& node) const {
    return IsProduct(node.opcode) ||
           absl::c_any_of(node.operands, [&](ValueId v) { return has_product_[v]; });
  }

  // Of as many elements as the value, by a divisor that several share, as in a softmax.
  bool ComputesQuotient(const Node& node, ValueId v) const {
    if (node.opcode == Opcode::kDivide && IsBroadcast(node.operands[1])) return true;
    return absl::c_any_of(node.operands, [&](ValueId o) {
      return has_quotient_[o] &&
             flow_.values[o].shape->NumElements() == flow_.values[v].shape->NumElements();
    });
  }

  bool IsBroadcast(ValueId v) const {
    const Node* node = flow_.NodeOf(v);
    while (node != nullptr && KindOf(node->opcode) == OpKind::kView) {
      node = flow_.NodeOf(node->operands[0]);
    }
    return node != nullptr && node->opcode == Opcode::kBroadcast;
  }

  int64_t SourceBytes(ValueId v) const {
    int64_t sum = 0;
    for (const ValueId s : kept_.sources[v]) sum += bytes_[s];
    return sum;
  }

  bool IsKept(const Node& node, ValueId v) {
    const OpKind kind = KindOf(node.opcode);
    if (kind == OpKind::kView || kind == OpKind::kFree) return false;
    const std::vector<Reader> readers = readers_.Of(v);
    if (kind == OpKind::kHeavy) return !IsPartOfReader(node, v, readers);
    if (kept_.sources[v].size() > KeptValues::kMaxSources) return true;
    const bool needs_memory = absl::c_any_of(readers, [&](const Reader& r) {
      return r.node == kNone || !ComputesOperand(flow_, flow_.nodes[r.node], r.operand);
    });
    if (needs_memory) return true;
    if (kept_.updates[flow_.values[v].node] != kNone) return false;
    if (node.opcode == Opcode::kBroadcast) return IsRepeatedForConvolution(v, readers);
    if (MovesToMemory(*flow_.module, node.instruction)) return true;
    if (moved_.FromMemory(node, readers)) return true;
    return IsWorthKeeping(node, v, readers);
  }

  // Cells that are repeated in a spatial dimension, by a reshape after the broadcast: an image made larger.
  bool IsRepeatedForConvolution(ValueId v, const std::vector<Reader>& readers) const {
    return absl::c_any_of(readers, [&](const Reader& r) {
      const Node& node = flow_.nodes[r.node];
      return node.opcode == Opcode::kConvolution &&
             flow_.values[node.operands[r.operand]].shape->rank() != flow_.values[v].shape->rank();
    });
  }

  // What every reader could compute.
  bool IsWorthKeeping(const Node& node, ValueId v, const std::vector<Reader>& direct) {
    const std::vector<Reader> readers = OfWidened(v, direct);
    const double own = static_cast<double>(bytes_[v]);
    const double sources = static_cast<double>(SourceBytes(v));
    const ScopeId scope = flow_.values[v].scope;
    const bool is_read_in_loop =
        absl::c_any_of(readers, [&](const Reader& r) { return r.scope != scope; });
    if (is_read_in_loop) return true;
    if (CombinesHeavy(node)) {
      if (node.opcode != Opcode::kExponential && IsOfJoinedRows(readers)) return false;
      return !(readers.size() == 1 && IsSameSize(v, readers[0])) ||
             (node.opcode == Opcode::kSlice && IsWidened(v, readers[0]));
    }
    if (readers.size() <= 1) return false;
    const size_t products = CountOf(readers, IsProduct);
    const bool only_contracted = products + CountOf(readers, IsReduction) == readers.size();
    const bool can_write = BitsOf(v) <= kProductBits && !IsOfMessages(v);
    if (!can_write && products > 0 && only_contracted) return false;
    if (chip_.keeps_quotients && products >= 2 && ComputesQuotient(node, v)) return true;
    if ((node.opcode == Opcode::kSlice || node.opcode == Opcode::kDynamicSlice) &&
        readers.size() <= kFewSlices) {
      return false;
    }
    const NodeId last = reads_.Last(scope, readers);
    const int span = reads_.Span(flow_.values[v].node, last);
    const bool has_larger_sources = sources > kSameShare * own;
    const bool is_anew = span >= kLongSpan || IsMask(v);
    if (has_larger_sources && is_anew && reads_.SourcesStay(v, last, kept_)) return false;
    if (has_larger_sources) return true;
    return span < kShortSpan && products >= 2 && !reads_.SourcesStay(v, last, kept_);
  }

  // Those of what it is widened to, where nothing else reads it: they read the narrow one.
  std::vector<Reader> OfWidened(ValueId v, const std::vector<Reader>& readers) {
    if (readers.size() != 1 || !IsSameSize(v, readers[0])) return readers;
    const Node& reader = flow_.nodes[readers[0].node];
    if (reader.opcode != Opcode::kConvert || BitsOf(reader.results[0]) <= BitsOf(v)) return readers;
    const std::vector<Reader> next = readers_.Of(reader.results[0]);
    const bool is_within = absl::c_all_of(
        next, [&](const Reader& r) { return r.node != kNone && r.scope == flow_.values[v].scope; });
    return is_within ? next : readers;
  }

  bool IsSameSize(ValueId v, const Reader& r) const {
    if (r.node == kNone) return false;
    const Node& reader = flow_.nodes[r.node];
    return KindOf(reader.opcode) == OpKind::kElementwise && reader.scope == flow_.values[v].scope &&
           flow_.values[reader.results[0]].shape->NumElements() ==
               flow_.values[v].shape->NumElements();
  }

  // A product or reduction that its one reader finishes.
  bool IsPartOfReader(const Node& node, ValueId v, const std::vector<Reader>& readers) {
    if (!IsProduct(node.opcode) && !IsReduction(node.opcode)) return false;
    if (node.results.size() != 1 || readers.size() != 1) return false;
    // A product writes no more than a slice leaves.
    if (IsProduct(node.opcode) && moved_.IsPlainSlice(readers[0])) return true;
    if (!IsSameSize(v, readers[0])) return false;
    return IsReduction(node.opcode) || !(IsWidened(v, readers[0]) || MeetsProduct(v, readers[0]));
  }

  // What finishes it finishes another product already: a kernel computes one.
  bool MeetsProduct(ValueId v, Reader reader) {
    for (int steps = 0; steps < kLongChain && IsSameSize(v, reader); ++steps) {
      const Node& node = flow_.nodes[reader.node];
      if (absl::c_any_of(node.operands, [&](ValueId o) { return o != v && has_product_[o]; }))
        return true;
      v = node.results[0];
      const auto& next = readers_.Of(v);
      if (next.size() != 1) return false;
      reader = next[0];
    }
    return false;
  }

  // The chain of elementwise operations after it ends in a wider type that several read from the
  // narrow one. Where one of them slices it, the kernel writes the wide one.
  bool IsWidened(ValueId v, Reader reader) {
    ValueId at = v;
    size_t count = 1;
    for (int steps = 0; count == 1 && steps < kLongChain; ++steps) {
      if (!IsSameSize(at, reader)) break;
      at = flow_.nodes[reader.node].results[0];
      const auto& next = readers_.Of(at);
      count = next.size();
      if (count == 1) reader = next[0];
    }
    return count > 1 && BitsOf(at) > BitsOf(v) && !moved_.IsSlicedLater(at) &&
           !absl::c_any_of(readers_.Of(at), [&](const Reader& r) { return IsWindow(r); });
  }

  // The maximum of each row, beside each of its elements.
  bool IsWindow(const Reader& r) const {
    return r.node != kNone && IsRowWindow(*flow_.module, flow_.nodes[r.node].instruction);
  }

  // The kernel of the exponentials computes whole rows, and their product.
  bool IsOfJoinedRows(const std::vector<Reader>& readers) const {
    return absl::c_any_of(readers, [&](const Reader& r) {
      return IsWindow(r) &&
             !AreScoresApart(*flow_.module, flow_.nodes[r.node].instruction, chip_.joins_long_rows);
    });
  }

  // All that it is computed of, but for rows, came by collectives: no kernel of a product can write it.
  bool IsOfMessages(ValueId v) const {
    const auto is_row = [&](ValueId s) { return bytes_[s] < bytes_[v] / kRowShare; };
    return !absl::c_all_of(kept_.sources[v], is_row) &&
           absl::c_all_of(kept_.sources[v], [&](ValueId s) {
             const Node* node = flow_.NodeOf(s);
             return is_row(s) || (node != nullptr && IsMessage(node->opcode));
           });
  }

  bool IsMask(ValueId v) const {
    return flow_.values[v].shape->element_type() == layout::ElementType::kPred;
  }

  int BitsOf(ValueId v) const { return layout::BitWidth(flow_.values[v].shape->element_type()); }

  size_t CountOf(const std::vector<Reader>& readers, bool (*is_kind)(Opcode)) const {
    return static_cast<size_t>(absl::c_count_if(
        readers, [&](const Reader& r) { return is_kind(flow_.nodes[r.node].opcode); }));
  }

  const Dataflow& flow_;
  const absl::Span<const int64_t> bytes_;
  const Chip& chip_;
  target::Readers readers_;
  LateReads reads_;
  MovedReads moved_;
  KeptValues kept_;
  std::vector<bool> has_heavy_;     // by ValueId: not kept, and computes a product or reduction
  std::vector<bool> has_product_;   // likewise, and computes a product
  std::vector<bool> has_quotient_;  // likewise, and divides
};

}  // namespace

void KeptValues::Keep(ValueId v) {
  is_kept[v] = true;
  sources[v].assign(1, v);
}

// Of a view of several values: of its operand alone.
void KeptValues::CollectSources(const Node& node, size_t k) {
  auto& found = sources[node.results[k]];
  found.clear();
  if (node.opcode == hlo::Opcode::kOptBarrier) {
    found = sources[node.operands[k]];
    return;
  }
  for (const ValueId operand : node.operands) {
    for (const ValueId s : sources[operand]) {
      if (found.size() > kMaxSources) return;
      if (!absl::c_linear_search(found, s)) found.push_back(s);
    }
  }
}

KeptValues FindKeptValues(const Dataflow& flow, absl::Span<const int64_t> bytes, const Chip& chip) {
  return KeepRule(flow, bytes, chip).Run();
}

}  // namespace tessera::target
