// Family projection_sets: boxes, unions, splits, texts, dominance and runs.
#include <string>
#include <vector>

#include "tessera/projection/set/runs.h"
#include "tessera/projection/set/split.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/uneven_split.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;

Outcome CheckPair(const json& c) {
  const ZRange a = ReadRange(c["a"]), b = ReadRange(c["b"]);
  const ZSet both = ZSet::OfBoxes(a.rank(), {a, b}).value();
  return First({Expect("intersection", Write(a.Intersect(b)), c["intersection"]),
                Expect("overlaps", a.Overlaps(b), c["overlaps"]),
                Expect("a_minus_b", Write(a.Subtract(b)), c["a_minus_b"]),
                Expect("bounding", Write(ZRange::Bounding({a, b}).value()), c["bounding"]),
                Expect("union_slabs", Write(both.Slabs().value()), c["union_slabs"]),
                Expect("union_size", both.size().value(), c["union_size"]),
                Expect("a_contains_b", a.Contains(b), c["a_contains_b"])});
}

Outcome CheckUnion(const json& c) {
  const std::vector<ZRange> boxes = ReadRanges(c["boxes"]);
  const ZSet all = ZSet::OfBoxes(boxes[0].rank(), boxes).value();
  return First({Expect("slabs", Write(all.Slabs().value()), c["slabs"]),
                Expect("size", all.size().value(), c["size"])});
}

Outcome CheckSplitChunk(const json& c) {
  return Expect("parts", Write(SplitByChunk(ReadRange(c["range"]), c["dim"], c["chunk"]).value()),
                c["parts"]);
}

Outcome CheckSplitEven(const json& c) {
  const std::vector<ZRange> parts =
      SplitEven(ZRange::FromShape({c["extent"]}), 0, c["parts"]).value();
  json ranges = json::array();
  for (const ZRange& part : parts) ranges.push_back({part.start()[0], part.end()[0]});
  return First(
      {Expect("ranges", ranges, c["ranges"]), Expect("tile", parts[0].extent(0), c["tile"])});
}

Outcome CheckContains(const json& c) {
  return Expect("result", ReadRange(c["range"]).Contains(ReadPoint(c["point"])),
                c["result"].get<bool>());
}

Outcome CheckText(const json& c) {
  const ZRange range = ReadRange(c["range"]);
  return First(
      {Expect("text", range.ToString(), c["text"].get<std::string>()),
       Expect("json", range.ToJson(), c["json"].get<std::string>()),
       Expect("text read back", Write(ZRange::Parse(range.ToString()).value()), c["range"]),
       Expect("json read back", Write(ZRange::Parse(range.ToJson()).value()), c["range"]),
       Expect("size", range.size().value(), c["size"])});
}

// By Dominance.
constexpr const char* kDominances[] = {"EQUAL", "LESS", "GREATER", "INCOMPARABLE"};

Outcome CheckDominance(const json& c) {
  const Dominance d = ReadPoint(c["a"]).Compare(ReadPoint(c["b"])).value();
  return Expect("result", std::string(kDominances[static_cast<size_t>(d)]),
                c["result"].get<std::string>());
}

Outcome CheckLinearRuns(const json& c) {
  const std::vector<projection::Run> list =
      RunsOfBox(ReadRange(c["range"]), ReadPoint(c["shape"])).value();
  json runs = json::array();
  for (projection::Run r : list) runs.push_back({r.first, r.length});
  return Expect("runs", runs, c["runs"]);
}

Outcome CheckRunToBoxes(const json& c) {
  const projection::Run run = {c["run"][0], c["run"][1]};
  return Expect("slabs", Write(BoxesOfRun(run, ReadPoint(c["shape"])).value()), c["slabs"]);
}

constexpr KindRow kSetKinds[] = {
    {"pair", CheckPair},
    {"union", CheckUnion},
    {"split_chunk", CheckSplitChunk},
    {"split_even", CheckSplitEven},
    {"contains_point", CheckContains},
    {"text", CheckText},
    {"dominance", CheckDominance},
    {"linear_runs", CheckLinearRuns},
    {"run_to_boxes", CheckRunToBoxes},
};

}  // namespace

Outcome CheckProjectionSets(const json& c) { return CheckByKind(kSetKinds, c); }

}  // namespace tessera::testing
