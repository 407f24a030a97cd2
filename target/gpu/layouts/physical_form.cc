#include "tessera/target/gpu/layouts/physical_form.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/gpu/layouts/order_rules.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

struct Forming {
  DeviceProgram& program;
  InstructionId id;  // of the instruction with its own dimensions
  InstructionId made;
  const Order& operand;  // the order of the first operand
  const Order& result;
};

// For each dimension its place in the order.
Order PlacesOf(const Order& order) {
  Order places(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    places[static_cast<size_t>(order[place])] = static_cast<int64_t>(place);
  return places;
}

template <typename List>
List Permuted(const List& parts, const Order& order) {
  List permuted;
  for (const int64_t d : order) permuted.push_back(parts[static_cast<size_t>(d)]);
  return permuted;
}

void SetDimensions(const Forming& f, const Order& dimensions) {
  f.program.SetAttribute(f.made, AttributeName::kDimensions, hlo::PrintInts(dimensions));
}

void FormBroadcast(const Forming& f) {
  const Order dimensions = Permuted(DimensionsOf(f.program, f.id), f.operand);
  SetDimensions(f, Renumbered(dimensions, PlacesOf(f.result)));
}

void FormReduce(const Forming& f) {
  Order dimensions = Renumbered(DimensionsOf(f.program, f.id), PlacesOf(f.operand));
  absl::c_sort(dimensions);
  SetDimensions(f, dimensions);
}

// Of a concatenate or a reverse.
void FormDimensions(const Forming& f) {
  SetDimensions(f, Renumbered(DimensionsOf(f.program, f.id), PlacesOf(f.result)));
}

void FormIota(const Forming& f) {
  const int64_t along =
      hlo::GetInt(f.program.module(), f.id, AttributeName::kIotaDimension).value_or(0);
  f.program.SetAttribute(f.made, AttributeName::kIotaDimension,
                         absl::StrCat(PlacesOf(f.result)[static_cast<size_t>(along)]));
}

void FormSlice(const Forming& f) {
  std::vector<std::string> words;
  for (const hlo::SliceDimension& d : Permuted(hlo::GetSlice(f.program.module(), f.id), f.result))
    words.push_back(absl::StrCat("[", d.start, ":", d.limit, ":", d.stride, "]"));
  f.program.SetAttribute(f.made, AttributeName::kSlice,
                         absl::StrCat("{", absl::StrJoin(words, ", "), "}"));
}

void FormPad(const Forming& f) {
  const std::string text(*f.program.module().FindAttribute(f.id, AttributeName::kPadding));
  const std::vector<std::string> words = absl::StrSplit(text, 'x');
  f.program.SetAttribute(f.made, AttributeName::kPadding,
                         absl::StrJoin(Permuted(words, f.result), "x"));
}

void FormDynamicSlice(const Forming& f) {
  f.program.SetAttribute(f.made, AttributeName::kDynamicSliceSizes,
                         hlo::PrintInts(f.program.shape(f.made).dims()));
}

void FormAsItIs(const Forming&) {}

struct FormOfOpcode {
  Opcode opcode;
  void (*form)(const Forming&);
};

// Beside element-wise operations, all-reduces, transposes and reshapes.
constexpr FormOfOpcode kForms[] = {{Opcode::kBroadcast, FormBroadcast},
                                   {Opcode::kConcatenate, FormDimensions},
                                   {Opcode::kDynamicSlice, FormDynamicSlice},
                                   {Opcode::kDynamicUpdateSlice, FormAsItIs},
                                   {Opcode::kIota, FormIota},
                                   {Opcode::kPad, FormPad},
                                   {Opcode::kReduce, FormReduce},
                                   {Opcode::kReverse, FormDimensions},
                                   {Opcode::kSlice, FormSlice}};

const FormOfOpcode* FindForm(Opcode opcode) {
  const auto* const found =
      absl::c_find_if(kForms, [&](const FormOfOpcode& form) { return form.opcode == opcode; });
  return found == std::end(kForms) ? nullptr : found;
}

// The numbers where a slice begins stand in the order, too.
void PermuteStarts(Opcode opcode, const Order& order, std::vector<InstructionId>& operands) {
  const size_t arrays = opcode == Opcode::kDynamicSlice ? 1 : 2;
  const std::vector<InstructionId> starts(operands.begin() + static_cast<int64_t>(arrays),
                                          operands.end());
  absl::c_copy(Permuted(starts, order), operands.begin() + static_cast<int64_t>(arrays));
}

InstructionId FormTranspose(DeviceProgram& program, InstructionId id, InstructionId operand,
                            const Order& read, const Order& result) {
  const Order from = Kept(read, DimensionsOf(program, id));  // of the result, if nothing moved
  return TransposeTo(program, operand, Places(from, result));
}

// "b01f_01io->b01f", with the dimensions of each array in their order.
InstructionId FormConvolution(DeviceProgram& program, InstructionId id,
                              const std::vector<InstructionId>& operands,
                              const std::vector<Order>& read, const Order& result) {
  const std::string labels(*program.module().FindAttribute(id, AttributeName::kDimLabels));
  const std::vector<std::string> words = absl::StrSplit(labels, absl::ByAnyChar("_>"));
  const std::string to = Permuted(words[2], result);
  const std::string filter = Permuted(words[1].substr(0, read[1].size()), read[1]);
  const InstructionId made = program.Clone(id, operands, InOrder(program.shape(id), result));
  program.SetAttribute(made, AttributeName::kDimLabels,
                       absl::StrCat(Permuted(words[0], read[0]), "_", filter, "->", to));
  return made;
}

}  // namespace

layout::Shape InOrder(const layout::Shape& shape, const Order& order) {
  IntList sizes;
  for (const int64_t d : order) sizes.push_back(shape.dim(d));
  return Resized(shape, sizes);
}

layout::Shape LyingIn(const layout::Shape& shape, const Order& order) {
  const bool in_rows = LiesAlike(order, DefaultOrder(order.size()), shape.dims());
  if (in_rows && !shape.has_layout()) return shape;
  layout::Shape lying = shape;
  if (!shape.has_layout()) lying.set_layout(layout::Layout::Descending(shape.rank()));
  const Order lies = in_rows ? DefaultOrder(order.size()) : order;
  lying.mutable_layout().minor_to_major.assign(lies.rbegin(), lies.rend());
  return lying;
}

InstructionId BitcastTo(DeviceProgram& program, InstructionId x, const layout::Shape& shape) {
  while (program.opcode(x) == Opcode::kBitcast) x = program.operand(x, 0);
  return AddBitcast(program, x, shape);
}

Order Places(const Order& from, const Order& to) { return Renumbered(to, PlacesOf(from)); }

bool HasPhysicalForm(const DeviceProgram& program, InstructionId id) {
  const Opcode opcode = program.opcode(id);
  if (!program.shape(id).is_array() || opcode == Opcode::kCopy) return false;
  return opcode == Opcode::kAllReduce || opcode == Opcode::kTranspose ||
         opcode == Opcode::kReshape || opcode == Opcode::kConvolution ||
         projection::IsElementwise(opcode) || FindForm(opcode) != nullptr;
}

InstructionId PhysicalForm(DeviceProgram& program, InstructionId id,
                           std::vector<InstructionId> operands, const std::vector<Order>& orders,
                           const Order& result) {
  const Opcode opcode = program.opcode(id);
  const layout::Shape shape = InOrder(program.shape(id), result);
  if (opcode == Opcode::kTranspose)
    return FormTranspose(program, id, operands[0], orders[0], result);
  if (opcode == Opcode::kAllReduce) {  // it stays the collective that it is
    program.SetOperands(id, operands);
    program.SetShape(id, shape);
    return id;
  }
  if (opcode == Opcode::kReshape) return BitcastTo(program, operands[0], shape);
  if (opcode == Opcode::kConvolution) return FormConvolution(program, id, operands, orders, result);
  if (opcode == Opcode::kDynamicSlice || opcode == Opcode::kDynamicUpdateSlice)
    PermuteStarts(opcode, result, operands);
  Order made_in = result;
  if (opcode == Opcode::kReduce) made_in = Kept(orders[0], KeptByReduction(program, id));
  const InstructionId made = program.Clone(id, operands, InOrder(program.shape(id), made_in));
  if (const FormOfOpcode* const form = FindForm(opcode); form != nullptr)
    form->form({program, id, made, orders.empty() ? result : orders[0], made_in});
  if (made_in == result) return made;
  // A reduction writes as it must.
  program.SetShape(made, LyingIn(program.shape(made), Places(made_in, result)));
  return AddBitcast(program, made, shape);
}

}  // namespace tessera::target
