#include "tessera/sharding/rules/rule_builder.h"

#include <utility>

namespace tessera::sharding::rules {
namespace {

std::vector<factors::TensorMapping> EmptyMappings(absl::Span<const layout::Shape* const> shapes) {
  std::vector<factors::TensorMapping> side;
  side.reserve(shapes.size());
  for (const layout::Shape* shape : shapes) side.emplace_back(shape->rank());
  return side;
}

}  // namespace

DimList Join(DimList a, const DimList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

hlo::IntList DimensionsOf(const OpView& op) {
  if (op.dimensions != nullptr) return *op.dimensions;
  if (op.instruction == hlo::kNoId) return {};
  return hlo::GetInts(*op.module, op.instruction, hlo::AttributeName::kDimensions)
      .value_or(hlo::IntList());
}

RuleBuilder::RuleBuilder(absl::Span<const layout::Shape* const> operands,
                         absl::Span<const layout::Shape* const> results) {
  spec_.operands = EmptyMappings(operands);
  spec_.results = EmptyMappings(results);
}

int64_t RuleBuilder::NewFactor(int64_t size, FactorKind kind, Blocked blocked) {
  const int64_t factor = static_cast<int64_t>(spec_.sizes.size());
  spec_.sizes.push_back(size);
  if (blocked == Blocked::kYes) spec_.blocked_propagation.push_back(factor);
  if (kind == kReduction) spec_.reduction.push_back(factor);
  if (kind == kNeedReplication) spec_.need_replication.push_back(factor);
  if (kind == kPermutation) spec_.permutation.push_back(factor);
  return factor;
}

void RuleBuilder::Put(factors::TensorMapping& tensor, int64_t dim, int64_t factor,
                      bool skip_if_joined) {
  if (dim < 0 || dim >= static_cast<int64_t>(tensor.size())) {
    dims_exist_ = false;
    return;
  }
  if (skip_if_joined && !tensor[dim].empty()) return;
  tensor[dim].push_back(factor);
}

void RuleBuilder::Factor(absl::Span<const int64_t> operand_dims,
                         absl::Span<const int64_t> result_dims, int64_t size, FactorKind kind,
                         Blocked blocked) {
  const int64_t factor = NewFactor(size, kind, blocked);
  const auto put = [&](Side& side, absl::Span<const int64_t> dims) {
    dims_exist_ &= dims.size() == side.size();
    for (size_t i = 0; dims_exist_ && i < dims.size(); ++i) {
      if (dims[i] != kNone) Put(side[i], dims[i], factor, size == 1);
    }
  };
  put(spec_.operands, operand_dims);
  put(spec_.results, result_dims);
}

void RuleBuilder::PutAll(Side& side, int64_t dim, int64_t factor) {
  for (factors::TensorMapping& tensor : side) {
    if (!tensor.empty()) Put(tensor, dim, factor, /*skip_if_joined=*/false);
  }
}

void RuleBuilder::FactorAll(int64_t dim, int64_t size, FactorKind kind, Blocked blocked) {
  const int64_t factor = NewFactor(size, kind, blocked);
  PutAll(spec_.operands, dim, factor);
  PutAll(spec_.results, dim, factor);
}

void RuleBuilder::FactorOperands(int64_t dim, int64_t size, FactorKind kind, Blocked blocked) {
  PutAll(spec_.operands, dim, NewFactor(size, kind, blocked));
}

void RuleBuilder::FactorResults(int64_t dim, int64_t size, FactorKind kind, Blocked blocked) {
  PutAll(spec_.results, dim, NewFactor(size, kind, blocked));
}

void RuleBuilder::Pointwise(Dims shape) {
  for (size_t d = 0; d < shape.size(); ++d) FactorAll(d, shape[d]);
}

void RuleBuilder::Mismatch(Dims in, Dims out, FactorKind kind, Blocked blocked) {
  dims_exist_ &= in.size() == out.size();
  for (size_t d = 0; dims_exist_ && d < in.size(); ++d) {
    if (in[d] == out[d]) {
      FactorAll(d, in[d]);
    } else {
      FactorAll(d, in[d], kind, blocked);
    }
  }
}

void RuleBuilder::Fill(Side& side) {
  for (factors::TensorMapping& tensor : side) {
    for (factors::DimMapping& dim : tensor) {
      if (dim.empty()) dim.push_back(NewFactor(1, kPassThrough, Blocked::kNo));
    }
  }
}

MaybeRule RuleBuilder::Build() {
  if (!dims_exist_) return std::nullopt;
  Fill(spec_.operands);
  Fill(spec_.results);
  // No error is left: every dimension has a factor, and Put() gives a tensor each factor once.
  return *OpShardingRule::Make(std::exchange(spec_, {}));
}

}  // namespace tessera::sharding::rules
