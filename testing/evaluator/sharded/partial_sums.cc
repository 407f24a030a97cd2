// What a part must not see is replaced by the neutral element of the sum, and the kernel runs over
// all of it: a product with 0 and a minimum with infinity leave the rest as it is.
#include "tessera/testing/evaluator/sharded/partial_sums.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/combiner.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/testing/evaluator/ops/contraction/dot.h"
#include "tessera/testing/evaluator/sharded/seen_operands.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// The value that changes nothing; none where there is none.
std::optional<Cell> Neutral(Opcode opcode, ElementType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  const int64_t unsigned_low = 0, signed_low = std::numeric_limits<int64_t>::min();
  const int64_t low =
      layout::IsSigned(type) ? signed_low >> (64 - layout::BitWidth(type)) : unsigned_low;
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      return Cell();
    case Opcode::kMultiply:
      return Cell{layout::IsFloat(type) || layout::IsComplex(type) ? 0 : 1, 1, 0};
    case Opcode::kMaximum:
      return layout::IsFloat(type) ? Cell{0, -infinity, 0} : Cell{low, 0, 0};
    case Opcode::kMinimum:
      return layout::IsFloat(type) ? Cell{0, infinity, 0} : Fit(type, {~low, 0, 0});
    case Opcode::kAnd:
      return Fit(type, {-1, 0, 0});
    default:
      return std::nullopt;
  }
}

Cell Absolute(const Cell& cell) {
  return {cell.i < 0 ? -cell.i : cell.i, std::abs(cell.re), std::abs(cell.im)};
}

double RoundingOf(ElementType type) {
  if (type == ElementType::kF64 || type == ElementType::kC128) return std::ldexp(1.0, -53);
  if (type == ElementType::kF32 || type == ElementType::kC64) return std::ldexp(1.0, -24);
  if (type == ElementType::kF16) return std::ldexp(1.0, -11);
  return type == ElementType::kBf16 ? std::ldexp(1.0, -8) : 0.25;
}

class PartialSums {
 public:
  static absl::StatusOr<PartialSums> Create(Interpreter& interpreter, hlo::InstructionId id,
                                            Values operands, const Array& dense) {
    PartialSums sums(interpreter, id, operands, dense);
    const hlo::Module& module = interpreter.module();
    std::optional<Opcode> combiner = Opcode::kAdd;
    if (sums.is_reduce()) combiner = projection::BinaryCombiner(module, module.called(id)[0]);
    if (!combiner.has_value() || (sums.is_reduce() && operands.size() != 2))
      return absl::UnimplementedError("partial results of this combiner");
    const std::optional<Cell> neutral = Neutral(*combiner, operands[0]->array.type);
    if (!neutral.has_value()) return absl::UnimplementedError("a combiner without neutral element");
    sums.combiner_ = *combiner;
    sums.neutral_ = *neutral;
    return sums;
  }

  absl::Status Add(const SumPart& part) {
    const int rank = dense_.rank();
    ZPoint start, end;
    for (int d = 0; d < rank; ++d) {
      start.push_back(part.index.start()[d]);
      end.push_back(part.index.end()[d]);
    }
    if (part.index.empty()) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(const ZRange tile, ZRange::Create(start, end));
    TESSERA_ASSIGN_OR_RETURN(const Array made, PartOf(part, tile));
    const bool first = tiles_.count(start) == 0;
    ++tiles_[start];
    const BinaryRow* row = FindBinary(combiner_);
    projection::ForEachCell(tile, [&](const ZPoint& at) {
      sum_.At(at) = first ? made.At(at) : Apply2(*row, sum_.type, sum_.At(at), made.At(at));
      return true;
    });
    return absl::OkStatus();
  }

  absl::Status Compare() {
    TESSERA_ASSIGN_OR_RETURN(const Array terms, SumOfAbsoluteTerms());
    int64_t parts = 1;
    for (const auto& [start, count] : tiles_) parts = std::max(parts, count);
    const bool rounded = (combiner_ == Opcode::kAdd || combiner_ == Opcode::kMultiply) &&
                         (layout::IsFloat(dense_.type) || layout::IsComplex(dense_.type));
    const double relative =
        static_cast<double>(Terms()) * RoundingOf(AccumulatorType(dense_.type)) +
        static_cast<double>(parts) * RoundingOf(dense_.type);
    for (int64_t i = 0; i < dense_.size(); ++i) {
      const Cell &x = std::as_const(sum_).cells[i], &y = dense_.cells[i];
      if (SameCell(x, y)) continue;
      const double scale = std::hypot(terms.cells[i].re, terms.cells[i].im);
      const double distance = std::hypot(x.re - y.re, x.im - y.im);
      if (rounded && distance <= 2 * relative * scale) continue;
      return absl::DataLossError(absl::StrCat("partial results give ", x.re, " at ",
                                              IndexOf(i, dense_.dims).ToString(), ", not ", y.re));
    }
    return absl::OkStatus();
  }

 private:
  PartialSums(Interpreter& interpreter, hlo::InstructionId id, Values operands, const Array& dense)
      : interpreter_(interpreter),
        id_(id),
        operands_(operands),
        dense_(dense),
        sum_(MakeArray(dense.type, dense.dims)) {}

  bool is_reduce() const {
    return interpreter_.module().instruction(id_).opcode == Opcode::kReduce;
  }

  absl::StatusOr<Array> PartOf(const SumPart& part, const ZRange& tile) {
    const SeenOperands::Rubbish neutral = [this](ElementType, const Cell&) { return neutral_; };
    TESSERA_ASSIGN_OR_RETURN(SeenOperands seen,
                             SeenOperands::Create(operands_, part.needs, &neutral));
    std::vector<const Value*> values = seen.values();
    bool first = true;
    for (int d = dense_.rank(); d < part.index.rank(); ++d) first &= part.index.start()[d] == 0;
    const Value without_init = MakeScalar(dense_.type, neutral_);
    if (is_reduce() && !first) values[1] = &without_init;
    const Part asked{0, tile};
    TESSERA_ASSIGN_OR_RETURN(Value made, interpreter_.Apply(id_, values, &asked));
    return std::move(made.array);
  }

  // How many terms one cell sums, at most.
  int64_t Terms() const {
    int64_t most = 1;
    for (const Value* operand : operands_) most = std::max(most, operand->array.size());
    return is_reduce() ? most / std::max<int64_t>(dense_.size(), 1) + 1 : most;
  }

  absl::StatusOr<Array> SumOfAbsoluteTerms() {
    std::vector<Value> values;
    std::vector<const Value*> pointers;
    for (const Value* operand : operands_) {
      values.push_back(*operand);
      Cell* cells = values.back().array.cells.Data();
      for (int64_t i = 0; i < operand->array.size(); ++i) cells[i] = Absolute(cells[i]);
    }
    for (const Value& value : values) pointers.push_back(&value);
    TESSERA_ASSIGN_OR_RETURN(Value made, interpreter_.Apply(id_, pointers));
    return std::move(made.array);
  }

  Interpreter& interpreter_;
  hlo::InstructionId id_;
  Values operands_;
  const Array& dense_;
  Array sum_;
  Opcode combiner_ = Opcode::kAdd;
  Cell neutral_;
  std::map<ZPoint, int64_t> tiles_;  // by start: parts that were added
};

}  // namespace

absl::Status CheckPartialSums(Interpreter& interpreter, hlo::InstructionId id, Values operands,
                              const Array& dense, const std::vector<SumPart>& parts) {
  TESSERA_ASSIGN_OR_RETURN(PartialSums sums, PartialSums::Create(interpreter, id, operands, dense));
  for (const SumPart& part : parts) TESSERA_RETURN_IF_ERROR(sums.Add(part));
  return sums.Compare();
}

}  // namespace tessera::testing::evaluator
