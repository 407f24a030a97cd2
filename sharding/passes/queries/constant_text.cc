#include "tessera/sharding/passes/queries/constant_text.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tessera::sharding::passes {
namespace {

using absl::string_view;

bool IsComplex(const layout::Shape& shape) {
  return shape.element_type() == layout::ElementType::kC64 ||
         shape.element_type() == layout::ElementType::kC128;
}

}  // namespace

string_view FirstElement(string_view literal) {
  while (true) {
    literal = absl::StripLeadingAsciiWhitespace(literal);
    if (absl::ConsumePrefix(&literal, "{")) continue;
    if (!absl::StartsWith(literal, "/*")) break;
    const size_t end = literal.find("*/");
    literal.remove_prefix(end == string_view::npos ? literal.size() : end + 2);
  }
  if (absl::StartsWith(literal, "(")) return literal.substr(0, literal.find(')') + 1);
  return absl::StripTrailingAsciiWhitespace(literal.substr(0, literal.find_first_of(",}")));
}

string_view ConstantText(const hlo::Module& module, const Op* op) {
  switch (op->part) {
    case OpPart::kSplatScalar:
      return FirstElement(module.LiteralText(op->source));
    case OpPart::kPredZero:
      return IsComplex(op->result()->shape()) ? "(0, 0)" : "0";
    default:
      return module.LiteralText(op->source);
  }
}

bool IsBroadcast(const Op* op) {
  return op->part == OpPart::kSplatBroadcast || op->part == OpPart::kPredZeros ||
         op->part == OpPart::kSortedBroadcast || HasOpcode(op, hlo::Opcode::kBroadcast);
}

}  // namespace tessera::sharding::passes
