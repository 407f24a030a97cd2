#include "tessera/target/kernels/products/products.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/map/reads.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr double kRowsOfRegister = 8, kLanesOfRegister = 128;

double SizeOf(const layout::Shape& shape, const hlo::IntList& dims) {
  double size = 1;
  for (const int64_t d : dims) size *= DimSize(shape, d);
  return size;
}

// Products of the parts that float32 is split into: three for `high`, six for `highest`.
double PassesOf(const hlo::Module& module, InstructionId id) {
  const auto precision = module.FindAttribute(id, hlo::AttributeName::kOperandPrecision);
  if (!precision.has_value()) return 1;
  if (absl::StrContains(absl::AsciiStrToLower(*precision), "highest")) return 6;
  return absl::StrContains(absl::AsciiStrToLower(*precision), "high") ? 3 : 1;
}

Product DotProduct(const hlo::Module& module, InstructionId id) {
  const layout::Shape& lhs = module.shape(module.operands(id)[0]);
  const layout::Shape& rhs = module.shape(module.operands(id)[1]);
  const hlo::DotDimensions dims = hlo::GetDotDimensions(module, id);
  Product product = ProductOfTypes(lhs, rhs);
  product.batch = SizeOf(lhs, dims.lhs_batch);
  product.k = SizeOf(lhs, dims.lhs_contracting);
  product.m = Elements(lhs) / std::max(1.0, product.batch * product.k);
  // Of a ragged dot each row meets one group of the right side.
  product.n =
      Elements(rhs) / std::max(1.0, product.batch * product.k * SizeOf(rhs, dims.rhs_group));
  product.multiplies = product.batch * product.m * product.n * product.k;
  return product;
}

// One dimension of a window.
struct Spatial {
  hlo::WindowDimension window;
  int64_t input = 1, output = 1;

  // Pairs of a position and a tap that meet an element.
  double Taps() const {
    const auto taps =
        projection::CountTaps(window.stride, -window.padding_low, window.window_dilation,
                              window.size, window.base_dilation, input, 0, output);
    return taps.ok() ? static_cast<double>(*taps) : AllTaps();
  }
  double AllTaps() const { return static_cast<double>(output * window.size); }
};

// Where the multiplications are those of elements alone.
void TakeHoles(const Spatial& d, double taps, Product* product) {
  if (d.window.base_dilation > 1 && taps > 0) product->with_holes *= d.AllTaps() / taps;
}

void Take(const Spatial& d, Product* product) {
  double taps = d.Taps();
  const int64_t size = d.window.size;
  if (d.output == 1) {
    product->k *= taps;
  } else if (size == 1) {
    product->m *= static_cast<double>(d.output);
    TakeHoles(d, taps, product);
  } else if (d.input == 1 && d.output == size) {
    product->n *= taps;
  } else if (d.input == size && d.output == size && taps == static_cast<double>(size)) {
    product->batch *= taps;
  } else {
    product->m *= static_cast<double>(d.output);
    product->k *= static_cast<double>(size);
    product->is_window = true;
    // Of few images, what stands between the elements of a dilated input is multiplied, too.
    const bool has_holes = d.window.base_dilation > 1 && product->rows < kRowsOfRegister;
    if (has_holes) {
      taps = d.AllTaps();
    } else {
      TakeHoles(d, taps, product);
    }
  }
  product->multiplies *= taps;
}

double RoundedUp(double size, double unit) { return std::ceil(size / unit) * unit; }

// Images lie in rows of a register and features in its lanes. The gradient of the kernel sums over images, so they are
// features of its second operand, and its window has the size of the image.
Depthwise DepthwiseOf(const hlo::Window& window, const layout::Shape& rhs, const layout::Shape& out,
                      const hlo::ConvolutionDimensions& dims, bool is_of_kernel) {
  Depthwise depthwise;
  double result = 1, size = 1;
  for (size_t i = 0; i < window.size(); ++i) {
    result *= DimSize(out, dims.output_spatial[i]);
    size *= static_cast<double>(window[i].size);
    depthwise.is_dilated |= window[i].base_dilation > 1;
  }
  const double images =
      is_of_kernel ? DimSize(rhs, dims.kernel_input_feature) : DimSize(out, dims.output_batch);
  depthwise.is_of_kernel = is_of_kernel;
  depthwise.taps = is_of_kernel ? result : size;
  depthwise.registers = (is_of_kernel ? size : result) * RoundedUp(images, kRowsOfRegister) *
                        RoundedUp(DimSize(out, dims.output_feature), kLanesOfRegister) /
                        kElementsOfRegister;
  return depthwise;
}

// The features of all columns of a window, or of one where it is read backwards, as for the gradient of an image.
double PackedOf(const hlo::Window& window, double features) {
  if (window.empty() || window.back().reversal) return features;
  return features * static_cast<double>(window.back().size);
}

std::optional<Product> ConvolutionProduct(const hlo::Module& module, InstructionId id) {
  const auto dims = hlo::GetConvolutionDimensions(module, id);
  if (!dims.has_value()) return std::nullopt;
  const layout::Shape& lhs = module.shape(module.operands(id)[0]);
  const layout::Shape& rhs = module.shape(module.operands(id)[1]);
  const layout::Shape& out = module.shape(id);
  const auto groups = [&](hlo::AttributeName name) {
    return static_cast<double>(std::max<int64_t>(1, hlo::GetInt(module, id, name).value_or(1)));
  };
  const double features = groups(hlo::AttributeName::kFeatureGroupCount);
  Product product = ProductOfTypes(lhs, rhs);
  product.batch = features * groups(hlo::AttributeName::kBatchGroupCount);
  product.m = product.rows = DimSize(out, dims->output_batch);
  product.n = DimSize(out, dims->output_feature) / product.batch;
  product.k = DimSize(rhs, dims->kernel_input_feature);
  product.multiplies = product.batch * product.m * product.n * product.k;
  hlo::Window window = hlo::GetWindow(module, id);
  window.resize(dims->output_spatial.size());
  bool is_gradient = false;
  for (size_t i = 0; i < window.size(); ++i) {
    Take({window[i], static_cast<int64_t>(DimSize(lhs, dims->input_spatial[i])),
          static_cast<int64_t>(DimSize(out, dims->output_spatial[i]))},
         &product);
    is_gradient |= window[i].size > DimSize(out, dims->output_spatial[i]);
  }
  const double lone = product.batch > 1 ? DimSize(out, dims->output_feature) / product.batch : 0;
  const bool is_of_kernel = features == 1 && lone == 1;
  const bool reads_one = features > 1 && DimSize(rhs, dims->kernel_input_feature) == 1;
  if (product.is_window && (is_of_kernel || reads_one)) {
    product.depthwise = DepthwiseOf(window, rhs, out, *dims, is_of_kernel);
  }
  product.packed =
      is_gradient ? product.k : PackedOf(window, DimSize(rhs, dims->kernel_input_feature));
  return product;
}

}  // namespace

Product ProductOfTypes(const layout::Shape& lhs, const layout::Shape& rhs) {
  Product product;
  product.width = std::min(ElementWidth(lhs), ElementWidth(rhs));
  product.is_integer = layout::IsInteger(lhs.element_type());
  return product;
}

std::optional<Product> ProductOf(const hlo::Module& module, InstructionId id) {
  if (module.operands(id).size() < 2) return std::nullopt;
  std::optional<Product> product;
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kConvolution) {
    product = ConvolutionProduct(module, id);
  } else if (hlo::IsContraction(opcode)) {
    product = DotProduct(module, id);
  }
  if (!product.has_value()) return product;
  product->instruction = id;
  if (product->width > 2) product->passes = PassesOf(module, id);
  return product;
}

}  // namespace tessera::target
