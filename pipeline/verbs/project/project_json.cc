#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/schema/project_answer.pb.h"
#include "tessera/pipeline/verbs/project/project_report.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using projection::ZRange;

void FillBox(const ZRange& box, answers::Box* to) {
  *to->mutable_start() = {box.start().begin(), box.start().end()};
  *to->mutable_end() = {box.end().begin(), box.end().end()};
}

// The cells that a device has of the operand, and those that it has to get.
void FillOwn(const ProjectedOperand& o, answers::ProjectedOperand* to) {
  FillBox(*o.own, to->mutable_own());
  to->set_missing_bytes(o.missing_bytes);
  const absl::StatusOr<std::vector<ZRange>> boxes = o.missing.Slabs();
  if (!boxes.ok()) return;
  for (const ZRange& box : *boxes) FillBox(box, to->add_missing());
}

void FillOperand(const ProjectedOperand& o, answers::ProjectedOperand* to) {
  to->set_name(o.name);
  to->set_role(std::string(o.role));
  to->set_cells(o.need.cells.size().value_or(0));
  to->set_bytes(o.bytes);
  if (o.need.bounding.has_value()) FillBox(*o.need.bounding, to->mutable_bounding());
  to->set_used_fraction(o.need.used_fraction);
  if (o.own.has_value()) FillOwn(o, to);
}

void FillBlock(const ProjectedBlock& block, answers::ProjectedBlock* to) {
  FillBox(block.block, to->mutable_block());
  to->set_written_bytes(block.written_bytes);
  for (const ProjectedOperand& o : block.operands) FillOperand(o, to->add_operands());
}

void FillTraffic(const DeviceTraffic& traffic, answers::Traffic* to) {
  to->set_missing_bytes(traffic.missing_bytes);
  to->set_padded_bytes(traffic.padded_bytes);
  if (!traffic.partial.has_value()) return;
  const DeviceTraffic::Partial& p = *traffic.partial;
  answers::PartialSums* partial = to->mutable_partial();
  partial->set_axes(p.axes);
  partial->set_group(p.group);
  partial->set_tile_bytes(p.tile_bytes);
  partial->set_combine_bytes(p.combine_bytes);
  partial->set_missing_bytes(p.missing_bytes);
}

void FillGrowth(const projection::Growth& g, const std::string& axis, answers::Growth* to) {
  to->set_axis(axis);
  to->set_at_end(g.at_end);
  *to->mutable_read() = {g.read.begin(), g.read.end()};
  to->set_written(g.written);
}

void FillShared(const SharedOperand& o, answers::SharedOperand* to) {
  to->set_name(o.name);
  to->set_private_bytes(o.private_bytes);
  to->set_shared_bytes(o.shared_bytes);
  to->set_constant_bytes(o.constant_bytes);
}

void FillCut(const projection::CutChoice& c, answers::CutChoice* to) {
  *to->mutable_parts() = {c.parts.begin(), c.parts.end()};
  to->set_bytes_moved(c.bytes_moved);
  to->set_bytes_read_twice(c.bytes_read_twice);
  to->set_partial_bytes(c.partial_bytes);
  to->set_memory(c.memory);
  to->set_balance(c.balance);
}

void FillOrigins(const Origins& origins, answers::Origins* to) {
  for (const ProjectedOperand& o : origins.through) FillOperand(o, to->add_through());
  for (const ProjectedOperand& o : origins.inputs) FillOperand(o, to->add_inputs());
  to->set_unneeded(static_cast<int64_t>(origins.unneeded));
  *to->mutable_bounds() = {origins.bounds.begin(), origins.bounds.end()};
}

}  // namespace

std::string AsJson(const ProjectAnswer& answer) {
  answers::ProjectAnswer out;
  out.set_instruction(answer.instruction);
  out.set_exactness(std::string(projection::ExactnessName(answer.signature.exactness)));
  out.set_note(answer.signature.note);
  for (const ProjectedBlock& block : answer.blocks) FillBlock(block, out.add_blocks());
  if (answer.origins.has_value()) FillOrigins(*answer.origins, out.mutable_origins());
  if (answer.traffic.has_value()) FillTraffic(*answer.traffic, out.mutable_traffic());
  for (const projection::Growth& g : answer.growth) {
    FillGrowth(g, answer.signature.axes[static_cast<size_t>(g.axis)].name, out.add_growth());
  }
  for (const SharedOperand& o : answer.shared) FillShared(o, out.add_shared());
  if (answer.stages.has_value()) out.set_partial_bytes(answer.partial_bytes);
  *out.mutable_axes() = {answer.axes.begin(), answer.axes.end()};
  for (const projection::CutChoice& c : answer.cuts) FillCut(c, out.add_cuts());
  return text::JsonOf(out) + "\n";
}

}  // namespace tessera::pipeline
