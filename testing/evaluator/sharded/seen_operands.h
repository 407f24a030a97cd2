// The operands of one block as it is allowed to see them.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_SEEN_OPERANDS_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_SEEN_OPERANDS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

class SeenOperands {
 public:
  using Rubbish = std::function<Cell(ElementType type, const Cell& cell)>;
  // Guards the cells that `needs` does not name; or replaces them where `rubbish` is given.
  static absl::StatusOr<SeenOperands> Create(Values operands,
                                             const std::vector<projection::Need>& needs,
                                             const Rubbish* rubbish);

  std::vector<const Value*> values() const;
  // The first read outside: "cell [2, 3] of array 1 of the operands"; empty when there was none.
  std::string OutsideRead() const;
  // The first cell that might have been read and was not; empty when there is none.
  std::string NotRead() const;

 private:
  std::string CellText(size_t array, int64_t cell) const;

  std::vector<Value> values_;
  std::vector<ZPoint> dims_;  // of each array
  std::vector<std::unique_ptr<Guard>> guards_;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_SEEN_OPERANDS_H_
