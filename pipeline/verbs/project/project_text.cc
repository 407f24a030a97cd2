#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/verbs/project/project_report.h"
#include "tessera/projection/core/grid.h"
#include "tessera/projection/draw/picture.h"
#include "tessera/projection/draw/shard_picture.h"

namespace tessera::pipeline {
namespace {

using projection::BoxText;
using projection::ZRange;

constexpr int64_t kMaxBoxes = 24;

// The boxes of a set, or the one around it when there are many.
std::string BoxesText(const projection::ZSet& cells) {
  const absl::StatusOr<std::vector<ZRange>> boxes = cells.Slabs(kMaxBoxes);
  if (!boxes.ok()) return absl::StrCat("inside ", BoxText(*cells.bounding()));
  std::string out;
  for (const ZRange& box : *boxes) absl::StrAppend(&out, out.empty() ? "" : " ", BoxText(box));
  return out.empty() ? "nothing" : out;
}

std::string BoxOrNothing(const ZRange& box) { return box.empty() ? "nothing" : BoxText(box); }

std::string OperandText(const ProjectedOperand& o) {
  const std::string role = o.role.empty() || o.role == o.name ? "" : o.role + " ";
  std::string out = absl::StrCat("  ", role, o.name, " ", o.type, ": ", BoxesText(o.need.cells),
                                 ", ", o.bytes, " bytes");
  if (o.need.used_fraction < 1)
    absl::StrAppendFormat(&out, ", %.0f%% of its box used", 100 * o.need.used_fraction);
  if (!o.need.exact) absl::StrAppend(&out, " (the box around it: too many pieces)");
  if (o.own.has_value()) {
    absl::StrAppend(&out, "\n    holds ", BoxOrNothing(*o.own), ", lacks ", BoxesText(o.missing),
                    ", ", o.missing_bytes, " bytes");
  }
  return out + "\n";
}

std::string CutText(const projection::CutChoice& c) {
  return absl::StrFormat(
      "  %-12s %d bytes moved, %d read twice, %d of partial results, %d in the largest part, "
      "balance %.2f\n",
      absl::StrJoin(c.parts, "x"), c.bytes_moved, c.bytes_read_twice, c.partial_bytes, c.memory,
      c.balance);
}

std::string DrawBlock(const ProjectAnswer& answer, const ProjectedBlock& block) {
  std::string out =
      absl::StrCat("\n", projection::DrawRegion(answer.instruction, answer.signature.index.shape(),
                                                projection::ZSet::OfBox(block.block)));
  for (const ProjectedOperand& o : block.operands)
    out += projection::DrawRegion(o.name, o.shape, o.need.cells);
  return out;
}

std::string GrowthText(const ProjectAnswer& answer) {
  std::string out;
  for (const projection::Growth& g : answer.growth) {
    const std::string& axis = answer.signature.axes[static_cast<size_t>(g.axis)].name;
    if (g.at_end) continue;
    int64_t read = 0;
    for (int64_t bytes : g.read) read += bytes;
    absl::StrAppend(&out, "one more of ", axis, ": reads ", read, " bytes more, writes ", g.written,
                    " more\n");
  }
  return out;
}

// Of an operand that several parts read something of.
std::string SharedText(const SharedOperand& o) {
  if (o.shared_bytes + o.constant_bytes == 0) return "";
  std::string out = absl::StrCat("parts share ", o.name, ":");
  const char* comma = "";
  const auto add = [&](int64_t bytes, absl::string_view what) {
    if (bytes == 0) return;
    absl::StrAppend(&out, comma, " ", bytes, " bytes read by ", what);
    comma = ",";
  };
  add(o.private_bytes, "one part");
  add(o.shared_bytes, "several");
  add(o.constant_bytes, "all");
  return out + "\n";
}

std::string Heading(const ProjectAnswer& answer) {
  const std::string exactness = projection::ExactnessName(answer.signature.exactness);
  const std::string& note = answer.signature.note;
  if (note.empty()) return absl::StrCat(answer.instruction, ": ", exactness, "\n");
  const bool brackets = exactness.back() == ')';
  return absl::StrCat(answer.instruction, ": ", exactness, brackets ? ", " : " (", note,
                      brackets ? "" : ")", "\n");
}

std::string BoundsText(const Origins& origins) {
  if (origins.num_bounds == 0) return "exactly";
  const size_t more = origins.num_bounds - origins.bounds.size();
  return absl::StrCat("at most, because of ", absl::StrJoin(origins.bounds, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

std::string OriginsText(const Origins& origins, bool draw) {
  std::string out = absl::StrCat("further back, ", BoundsText(origins), ":\n");
  for (const auto* arrays : {&origins.through, &origins.inputs}) {
    for (const ProjectedOperand& o : *arrays) {
      out += OperandText(o);
      if (draw) out += projection::DrawRegion(o.name, o.shape, o.need.cells);
    }
  }
  if (!origins.inputs.empty() && origins.inputs[0].own.has_value()) {
    const int64_t lacked = absl::c_accumulate(
        origins.inputs, int64_t{0},
        [](int64_t sum, const ProjectedOperand& o) { return sum + o.missing_bytes; });
    absl::StrAppend(&out, "  the device lacks ", lacked, " bytes of these inputs\n");
  }
  if (origins.unneeded > 0) {
    absl::StrAppend(&out, "  nothing of ", origins.unneeded,
                    origins.unneeded == 1 ? " other input\n" : " other inputs\n");
  }
  return out;
}

}  // namespace

std::string TrafficText(const DeviceTraffic& traffic, bool has_origins) {
  std::string out = absl::StrCat("all devices together must fetch ", traffic.missing_bytes,
                                 " bytes", has_origins ? " of the operands" : "");
  if (traffic.padded_bytes != traffic.missing_bytes) {
    absl::StrAppend(&out, ", ", traffic.padded_bytes, " with tiles padded to equal extents");
  }
  out += "\n";
  if (!traffic.partial.has_value()) return out;
  const DeviceTraffic::Partial& p = *traffic.partial;
  absl::StrAppend(&out, "or partial sums along ", p.axes,
                  ": each device sums what it holds, lacking ", p.missing_bytes,
                  " bytes in all; an all-reduce of ", p.tile_bytes, " bytes among ", p.group,
                  " devices sends ", p.combine_bytes, " bytes in all\n");
  return out;
}

std::string AsText(const ProjectAnswer& answer, bool draw) {
  std::string out = Heading(answer);
  if (!answer.cuts.empty())
    absl::StrAppend(&out, "parts of ", absl::StrJoin(answer.axes, ", "), "\n");
  for (const projection::CutChoice& cut : answer.cuts) out += CutText(cut);
  for (const ProjectedBlock& block : answer.blocks) {
    absl::StrAppend(&out, "block ", BoxOrNothing(block.block), ", writes ", block.written_bytes,
                    " bytes\n");
    for (const ProjectedOperand& o : block.operands) out += OperandText(o);
    if (draw && answer.shared.empty()) out += DrawBlock(answer, block);
  }
  if (answer.origins.has_value()) out += OriginsText(*answer.origins, draw);
  if (answer.traffic.has_value()) out += TrafficText(*answer.traffic, answer.origins.has_value());
  out += GrowthText(answer);
  for (const SharedOperand& o : answer.shared) {
    out += SharedText(o);
    if (draw) out += projection::DrawShards(o.name, o.shape, o.fragments, o.element_bytes);
  }
  if (!answer.stages.has_value()) return out;
  absl::StrAppend(&out, "partial results: ", answer.partial_bytes, " bytes, then combined\n");
  return draw ? out + projection::DrawSplit(*answer.stages) : out;
}

}  // namespace tessera::pipeline
