// Family projection_cost: bytes and flops of a block, what one more index adds, cuts in two; lives
// of buffers.
#include <map>
#include <string>

#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/cost/memory/liveness.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/cut_in_two.h"
#include "tessera/text/checked.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;

ElementBytes BytesOfElements(const hlo::Module& module, hlo::InstructionId id) {
  ElementBytes out;
  for (hlo::InstructionId operand : module.operands(id)) {
    out.operands.push_back(layout::ByteWidth(module.shape(operand).element_type()));
  }
  out.results.push_back(layout::ByteWidth(module.shape(id).element_type()));
  return out;
}

Outcome CheckBlockCost(const json& c) {
  const hlo::Module module = hlo::ParseModule(c["hlo"].get<std::string>()).value();
  const hlo::InstructionId root = module.entry().root;
  const Signature s = SignatureOf(module, root).value();
  const ElementBytes bytes = BytesOfElements(module, root);
  const ZRange block = ReadRange(c["block"]);
  const auto flops = [&](const ZRange& b) {
    return OperationsOfBlock(module, root, b).value().flops;
  };
  const BlockBytes now = BytesOfBlock(s, bytes, block).value();
  json plus_one = json::array(), halve = json::array();
  const std::vector<Growth> growths = GrowByOne(s, bytes, block).value();
  for (const Growth& g : growths) {
    if (g.at_end) {
      plus_one.push_back({{"axis", g.axis}, {"at_end", true}});
      continue;
    }
    const ZRange larger = block.WithDim(g.axis, block.start()[g.axis], block.end()[g.axis] + 1);
    plus_one.push_back({{"axis", g.axis},
                        {"read", g.read},
                        {"write", g.written},
                        {"flops", flops(larger) - flops(block)}});
  }
  for (int axis = 0; axis < s.index.rank(); ++axis) {
    if (s.index.extent(axis) <= 1) continue;
    const Halving h = CutInTwo(s, bytes, axis, CeilDiv(s.index.extent(axis), 2)).value();
    halve.push_back({{"axis", axis},
                     {"at", h.at},
                     {"read_first", h.read_first},
                     {"read_second", h.read_second},
                     {"shared", h.shared}});
  }
  return First({Expect("read", json(now.read), c["read"]), Expect("write", now.written, c["write"]),
                Expect("flops", flops(block), c["flops"]),
                Expect("plus_one", plus_one, c["plus_one"]), Expect("halve", halve, c["halve"])});
}

BufferKind ReadKind(const std::string& kind) {
  if (kind == "alias") return BufferKind::kAlias;
  if (kind == "inplace") return BufferKind::kInPlace;
  return kind == "ew" ? BufferKind::kElementwise : BufferKind::kNew;
}

Outcome CheckLiveness(const json& c) {
  Program p;
  std::vector<std::string> names;
  std::map<std::string, int> values;
  const auto name_value = [&](const std::string& name) {
    values[name] = static_cast<int>(names.size());
    names.push_back(name);
  };
  for (const json& parameter : c["parameters"]) {
    p.parameters.push_back(parameter[1]);
    name_value(parameter[0]);
  }
  for (const json& step : c["order"]) {
    std::vector<int> operands;
    for (const json& operand : step["operands"]) operands.push_back(values.at(operand));
    p.order.push_back({step["bytes"], operands, ReadKind(step["kind"]), 0});
    name_value(step["name"]);
  }
  for (const json& output : c["outputs"]) p.outputs.push_back(values.at(output));
  for (const json& donated : c["donated"]) p.donated.push_back(values.at(donated));
  const MemoryProfile m = ProfileOf(p, {c["reuse_elementwise"].get<bool>()}).value();
  json buffers = json::object(), reused = json::array();
  for (const Buffer& b : m.buffers) buffers[names[b.values.front()]] = {b.bytes, b.first, b.last};
  for (const auto& [value, operand] : m.reused) reused.push_back({names[value], names[operand]});
  const std::string at = m.peak_at < 0 ? "" : names[p.parameters.size() + m.peak_at];
  return First({Expect("profile", json(m.live), c["profile"]), Expect("peak", m.peak, c["peak"]),
                Expect("peak_at", at, c["peak_at"].get<std::string>()),
                Expect("buffers", buffers, c["buffers"]), Expect("reused", reused, c["reused"])});
}

constexpr KindRow kCostKinds[] = {
    {"block_cost", CheckBlockCost},
    {"liveness", CheckLiveness},
};

}  // namespace

Outcome CheckProjectionCost(const json& c) { return CheckByKind(kCostKinds, c); }

}  // namespace tessera::testing
