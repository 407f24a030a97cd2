// Who reads a value, views looked through.
//
//   Readers readers(flow);
//   for (const Reader& r : readers.Of(v)) ...      // r.node reads v, or a view of it
//
// Cost: building is linear; a question costs its answer, which stops at kMaxReaders.

#ifndef TESSERA_TARGET_DATAFLOW_READERS_H_
#define TESSERA_TARGET_DATAFLOW_READERS_H_

#include <cstddef>
#include <vector>

#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

struct Reader {
  NodeId node = kNone;  // kNone: it is a root of `scope`
  uint32_t operand = 0;
  ScopeId scope = kNone;
};

class Readers {
 public:
  static constexpr size_t kMaxReaders = 256;

  explicit Readers(const Dataflow& flow);

  // Those that compute with it or need it in memory. Good until the next call.
  const std::vector<Reader>& Of(ValueId v);
  // Of the value itself, views among them.
  std::vector<Reader> Direct(ValueId v) const;

 private:
  const Dataflow& flow_;
  std::vector<uint32_t> begin_;  // by ValueId, and the end
  std::vector<Reader> uses_;
  std::vector<Reader> found_;
  std::vector<ValueId> stack_;
};

// The node of `scope` in which `node` runs: itself, or the loop or conditional around it; kNone if
// it runs outside of `scope`.
NodeId NodeIn(const Dataflow& flow, ScopeId scope, NodeId node);

// Whether it is one number in all places.
bool IsRepeatedNumber(const Dataflow& flow, ValueId v);

// Of TPUs: whether the node computes that operand within its own kernel. A scatter writes a number that it starts from.
bool ComputesOperand(const Dataflow& flow, const Node& node, uint32_t operand);

// Whether the node is a loop that sends round what it carries, as a windowed einsum does.
bool SendsRound(const Dataflow& flow, const Node& node);

// Whether it does so among few devices. Its arrays go both ways, and XLA makes two rounds one: of so few it has one
// trip, and is no loop any more.
bool IsUnrolled(const Dataflow& flow, const Node& node);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_READERS_H_
