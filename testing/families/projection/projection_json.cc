#include "tessera/testing/families/projection/projection_json.h"

namespace tessera::testing {

using nlohmann::json;
using projection::AxisSet;
using projection::Interval;
using projection::ZMatrix;
using projection::ZPoint;
using projection::ZRange;
using projection::ZSet;

ZPoint ReadPoint(const json& list) {
  ZPoint out;
  for (const json& value : list) out.push_back(value.get<int64_t>());
  return out;
}

ZRange ReadRange(const json& box) {
  return ZRange::Create(ReadPoint(box.at("start")), ReadPoint(box.at("end"))).value();
}

std::vector<ZRange> ReadRanges(const json& boxes) {
  std::vector<ZRange> out;
  for (const json& box : boxes) out.push_back(ReadRange(box));
  return out;
}

ZMatrix ReadMatrix(const json& rows, int cols_if_no_rows) {
  std::vector<ZPoint> points;
  for (const json& row : rows) points.push_back(ReadPoint(row));
  return ZMatrix::Create(points, points.empty() ? cols_if_no_rows : points[0].rank()).value();
}

json Write(const ZPoint& point) {
  json out = json::array();
  for (int64_t value : point) out.push_back(value);
  return out;
}

json Write(const ZRange& box) { return {{"start", Write(box.start())}, {"end", Write(box.end())}}; }

json Write(const std::optional<ZRange>& box) { return box.has_value() ? Write(*box) : json(); }

json Write(const std::vector<ZRange>& boxes) {
  json out = json::array();
  for (const ZRange& box : boxes) out.push_back(Write(box));
  return out;
}

json Write(const AxisSet& axis) {
  json out = json::array();
  const std::vector<Interval> intervals = axis.Intervals(1 << 20).value();
  for (Interval i : intervals) out.push_back({i.first, i.end});
  return out;
}

bool IsBox(const ZSet& cells) {
  return cells.empty() || cells.size().value() == cells.bounding()->size().value();
}

}  // namespace tessera::testing
