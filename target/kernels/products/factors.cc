#include "tessera/target/kernels/products/factors.h"

#include <algorithm>
#include <vector>

#include "tessera/target/kernels/products/products.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

constexpr double kMultipliedWidth = 2;  // bytes: wider elements are rounded to bf16
constexpr double kSmallPart = 0.5;      // of the elements of a factor

class Walk {
 public:
  Walk(const hlo::Module& module, const Body& body) : module_(module), body_(body) {}

  Factor To(int32_t operand) const {
    const layout::Shape& array = module_.shape(body_.nodes[operand].id);
    const double elements = Elements(array);
    Factor factor;
    factor.bytes = elements * std::min(kMultipliedWidth, ElementWidth(array));
    std::vector<bool> is_seen(operand + 1, false);
    is_seen[operand] = true;
    for (int32_t node = operand; node >= 0; --node) {
      if (!is_seen[node]) continue;
      const BodyNode& n = body_.nodes[node];
      if (n.is_input) {
        factor.from_memory += BytesOf(n, elements);
      } else if (node == operand || !ProductOf(module_, n.id).has_value()) {
        for (const int32_t before : n.operands) is_seen[before] = true;
      }
    }
    return factor;
  }

 private:
  // Of a larger array no more is read than the factor has.
  double BytesOf(const BodyNode& input, double elements) const {
    const layout::Shape& array = module_.shape(input.id);
    const double size = Elements(array);
    if (input.is_fast || size < kSmallPart * elements) return 0;
    return std::min(size, elements) * (input.width > 0 ? input.width : ElementWidth(array));
  }

  const hlo::Module& module_;
  const Body& body_;
};

}  // namespace

std::array<Factor, 2> FactorsOf(const hlo::Module& module, const Body& body, int32_t node) {
  const BodyNode& product = body.nodes[node];
  const Walk walk(module, body);
  return {walk.To(product.operands[0]), walk.To(product.operands[1])};
}

}  // namespace tessera::target
