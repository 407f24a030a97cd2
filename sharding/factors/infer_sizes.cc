// A dimension with one factor tells its size. A dimension in which all factors but one are known
// tells the last one; since that may make others known, dimensions are gone through until nothing
// new turns up. Quadratic in the number of compound dimensions at worst. Tested in
// infer_sizes_test.cc.

#include "tessera/sharding/factors/infer_sizes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/text/checked.h"

namespace tessera::sharding::factors {
namespace {

using Mistake = std::optional<RuleMistake>;

constexpr int64_t kUnknown = -1;
// More factors than any rule has; a factor named z_999999 is a slip of the pen.
constexpr int64_t kMaxFactors = 4096;

struct Dim {
  const DimMapping* factors;
  int64_t size;
  RulePart part;
};

void Collect(RuleSection section, const std::vector<TensorMapping>& tensors, DimsOfTensors shapes,
             std::vector<Dim>* dims) {
  for (size_t t = 0; t < std::min(tensors.size(), shapes.size()); ++t) {
    for (size_t d = 0; d < std::min(tensors[t].size(), shapes[t].size()); ++d) {
      dims->push_back(
          {&tensors[t][d], shapes[t][d], {section, static_cast<int>(t), static_cast<int>(d)}});
    }
  }
}

std::vector<Dim> DimsOf(DimsOfTensors operands, DimsOfTensors results, const RuleSpec& rule) {
  std::vector<Dim> dims;
  Collect(RuleSection::kOperands, rule.operands, operands, &dims);
  Collect(RuleSection::kResults, rule.results, results, &dims);
  return dims;
}

class Inference {
 public:
  explicit Inference(size_t num_factors) : sizes_(num_factors, kUnknown) {}

  void TakeSingles(const std::vector<Dim>& dims) {
    for (const Dim& dim : dims) {
      if (dim.factors->size() != 1) continue;
      int64_t& size = sizes_[dim.factors->front()];
      size = size == kUnknown ? dim.size : std::min(size, dim.size);
    }
  }

  Mistake TakeCompounds(const std::vector<Dim>& dims) {
    for (bool found = true; found;) {
      found = false;
      for (const Dim& dim : dims) {
        if (Mistake mistake = TakeLastUnknown(dim, &found)) return mistake;
      }
    }
    return std::nullopt;
  }

  const std::vector<int64_t>& sizes() const { return sizes_; }

 private:
  Mistake TakeLastUnknown(const Dim& dim, bool* found) {
    int64_t rest = dim.size;
    int64_t unknown = kUnknown;
    for (int64_t f : *dim.factors) {
      if (sizes_[f] == kUnknown) {
        if (unknown != kUnknown) return std::nullopt;  // two are open: not yet
        unknown = f;
      } else if (sizes_[f] != 0 && rest % sizes_[f] == 0) {
        rest /= sizes_[f];
      } else if (dim.factors->size() > 1) {
        return RuleMistake{
            absl::StrCat("a dimension of size ", dim.size, " cannot hold factor ", FactorName(f),
                         " of size ", sizes_[f], " and others; write the sizes, as in {i=4, j=2}"),
            dim.part};
      }
    }
    if (unknown == kUnknown) return std::nullopt;
    sizes_[unknown] = rest;
    *found = true;
    return std::nullopt;
  }

  std::vector<int64_t> sizes_;
};

}  // namespace

Mistake InferSizes(DimsOfTensors operands, DimsOfTensors results, RuleSpec* rule) {
  if (!rule->sizes.empty()) return std::nullopt;
  const std::vector<Dim> dims = DimsOf(operands, results, *rule);
  int64_t last = -1;
  for (const Dim& dim : dims) {
    for (int64_t f : *dim.factors) {
      if (f >= kMaxFactors) {
        return RuleMistake{absl::StrCat("factor ", FactorName(f), " exceeds the limit of 4096"),
                           dim.part};
      }
      last = std::max(last, f);
    }
  }
  Inference inference(static_cast<size_t>(last + 1));
  inference.TakeSingles(dims);
  if (Mistake mistake = inference.TakeCompounds(dims)) return mistake;
  const std::vector<int64_t>& sizes = inference.sizes();
  for (const Dim& dim : dims) {
    for (int64_t f : *dim.factors) {
      if (sizes[f] != kUnknown) continue;
      return RuleMistake{absl::StrCat("the size of factor ", FactorName(f),
                                      " does not follow from the shapes; write the sizes of all "
                                      "factors after the results, as in {i=4, j=2}"),
                         dim.part};
    }
  }
  rule->sizes = sizes;
  std::replace(rule->sizes.begin(), rule->sizes.end(), kUnknown, int64_t{1});
  return std::nullopt;
}

Mistake CheckSizes(DimsOfTensors operands, DimsOfTensors results, const RuleSpec& rule) {
  const std::vector<Dim> dims = DimsOf(operands, results, rule);
  Inference alone(rule.sizes.size());
  alone.TakeSingles(dims);
  for (const Dim& dim : dims) {
    Checked product = 1;
    for (int64_t f : *dim.factors) product *= rule.sizes[static_cast<size_t>(f)];
    if (!product.ok()) {
      return RuleMistake{
          absl::StrCat("the factors of this dimension are beyond 64 bits together, the shapes say ",
                       dim.size),
          dim.part};
    }
    const bool is_single = dim.factors->size() == 1;
    const int64_t wanted =
        is_single ? alone.sizes()[static_cast<size_t>(dim.factors->front())] : dim.size;
    if (dim.factors->empty() || product.value() == wanted) continue;
    return RuleMistake{absl::StrCat("the factors of this dimension have the size ", product.value(),
                                    ", the shapes say ", wanted),
                       dim.part};
  }
  return std::nullopt;
}

}  // namespace tessera::sharding::factors
