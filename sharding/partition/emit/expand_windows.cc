#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/emit/expander.h"
#include "tessera/sharding/partition/emit/window_loop.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::Shape;

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::SharedWindows& windows) {
  WindowLoop::Tools tools;
  tools.input = &input_;
  tools.module = &module_;
  tools.new_body = [&](absl::string_view name) { return NewBody(at, name); };
  tools.parameter = [&](BodyWriter* body, absl::string_view name, const Shape& shape) {
    return Parameter(body, name, shape);
  };
  tools.permute = [&](BodyWriter* body, Id operand, const WindowLoop::Pairs& pairs) {
    const Shape shape = body->shape(operand);
    return body->Add(Opcode::kCollectivePermute, shape, {operand},
                     {{AttributeName::kChannelId, NextChannel()},
                      {AttributeName::kSourceTargetPairs, PairsText(pairs)}});
  };
  return WindowLoop(std::move(tools), *windows, at.node.cause)
      .Write(at.operands[0], at.operands[1], &at.body);
}

}  // namespace tessera::sharding::partition
