// Opcodes whose shape is made from parts of the written one.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/module_parser.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

bool ModuleParser::FixAfterAll(InstructionId id, const ParsedInstruction&) {
  module_.SetShape(id, Shape::Token());
  return true;
}

bool ModuleParser::FixAddDependency(InstructionId id, const ParsedInstruction& d) {
  module_.mutable_instruction(id).shape = module_.shape_id(d.operands[0]);
  return true;
}

bool ModuleParser::FixInfeed(InstructionId id, const ParsedInstruction&) {
  const Shape& shape = module_.shape(id);
  if (!shape.is_tuple() || shape.tuple_elements().empty()) {
    return in_.FailAfter("the shape of infeed is (data, token[])");
  }
  module_.SetShape(id, Shape::Tuple({shape.tuple_elements()[0], Shape::Token()}));
  return true;
}

bool ModuleParser::FixOutfeed(InstructionId id, const ParsedInstruction&) {
  module_.SetShape(id, Shape::Token());
  return true;
}

bool ModuleParser::FixSend(InstructionId id, const ParsedInstruction& d) {
  module_.SetShape(id, Shape::Tuple({module_.shape(d.operands[0]),
                                     Shape::Array(ElementType::kU32, {}), Shape::Token()}));
  return true;
}

bool ModuleParser::FixRecv(InstructionId id, const ParsedInstruction&) {
  const Shape& shape = module_.shape(id);
  if (!shape.is_tuple() || shape.tuple_elements().empty()) {
    return in_.FailAfter("the shape of recv is (data, u32[], token[])");
  }
  module_.SetShape(id, Shape::Tuple({shape.tuple_elements()[0], Shape::Array(ElementType::kU32, {}),
                                     Shape::Token()}));
  return true;
}

bool ModuleParser::CheckSameChannel(InstructionId id) {
  const InstructionId start = module_.operands(id)[0];
  const Opcode opcode = module_.instruction(start).opcode;
  if (opcode != Opcode::kSend && opcode != Opcode::kRecv) return true;
  const auto channel = GetInt(module_, id, A::kChannelId);
  return !channel.has_value() || channel == GetInt(module_, start, A::kChannelId) ||
         in_.FailAfter("the channel_id is not that of the operand");
}

bool ModuleParser::FixSendDone(InstructionId id, const ParsedInstruction&) {
  module_.SetShape(id, Shape::Token());
  return CheckSameChannel(id);
}

bool ModuleParser::FixRecvDone(InstructionId id, const ParsedInstruction& d) {
  const Shape& shape = module_.shape(d.operands[0]);
  if (!shape.is_tuple() || shape.tuple_elements().empty()) {
    return in_.FailAfter("the operand of recv-done is a recv");
  }
  module_.SetShape(id, Shape::Tuple({shape.tuple_elements()[0], Shape::Token()}));
  return CheckSameChannel(id);
}

}  // namespace tessera::hlo
