// Accuracy of results, sparsity of operands.

#include <cstdlib>

#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

bool ReadDouble(Reader& in, double* value) {
  absl::string_view token;
  if (!in.ReadNumber(&token)) return in.Fail("expected a number");
  *value = std::strtod(std::string(token).c_str(), nullptr);
  return true;
}

bool ReadTolerance(Reader& in, ResultAccuracy* accuracy) {
  if (!in.Expect('{', "to start a tolerance")) return false;
  accuracy->has_tolerance = true;
  if (in.Eat('}')) return true;
  do {
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected atol=, rtol= or ulps=");
    const bool good = name == "atol"   ? ReadDouble(in, &accuracy->atol)
                      : name == "rtol" ? ReadDouble(in, &accuracy->rtol)
                      : name == "ulps" ? in.ExpectInt(&accuracy->ulps)
                                       : in.FailAt(at, "expected atol=, rtol= or ulps=");
    if (!good) return false;
  } while (in.Eat(','));
  return in.Expect('}', "to end a tolerance");
}

}  // namespace

bool ReadResultAccuracy(Reader& in, ResultAccuracy* accuracy) {
  static constexpr absl::string_view kModes[] = {"default", "highest"};
  if (!in.Expect('{', "to start a result accuracy")) return false;
  const char* at = in.at();
  absl::string_view name, word;
  if (!in.ReadAttributeName(&name)) return in.Fail("expected mode= or tolerance=");
  if (name == "mode") {
    if (!ReadEnumeration(in, kModes, true, "mode", &word)) return false;
    accuracy->highest = word == "highest";
  } else if (name != "tolerance") {
    return in.FailAt(at, "expected mode= or tolerance=");
  } else if (!ReadTolerance(in, accuracy)) {
    return false;
  }
  return in.Expect('}', "to end a result accuracy");
}

namespace {

bool ReadSparsitySide(Reader& in, SparsityConfig::Side* side) {
  if (!in.Expect('{', "to start one side of a sparsity")) return false;
  side->present = true;
  while (!in.Eat('}')) {
    const char* at = in.at();
    absl::string_view name, token;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected sparsity=, dimension= or stride=");
    if (name == "dimension" || name == "stride") {
      if (!in.ExpectInt(name == "stride" ? &side->stride : &side->dimension)) return false;
      continue;
    }
    if (name != "sparsity") return in.FailAt(at, "expected sparsity=, dimension= or stride=");
    const char* value = in.at();
    if (!in.ReadIntOrDxD(&token)) return in.Fail("expected sparsity such as 1x4");
    const size_t x = token.find('x');
    if (x == absl::string_view::npos || token.find('x', x + 1) != absl::string_view::npos) {
      return in.FailAt(value, "expected sparsity such as 1x4");
    }
    side->num_non_zero = ParseIntToken(token.substr(0, x)).value_or(0);
    side->block_size = ParseIntToken(token.substr(x + 1)).value_or(0);
  }
  return true;
}

}  // namespace

bool ReadSparsity(Reader& in, SparsityConfig* config) {
  if (!in.Expect('{', "to start a sparsity config")) return false;
  while (!in.Eat('}')) {
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected lhs= or rhs=");
    if (name != "lhs" && name != "rhs") return in.FailAt(at, "expected lhs= or rhs=");
    if (!ReadSparsitySide(in, name == "lhs" ? &config->lhs : &config->rhs)) return false;
  }
  return true;
}

}  // namespace tessera::hlo
