// Family projection_hlocost: flops and bytes of instructions and modules, exactly and as XLA counts
// them; trip counts.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/compute/totals.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/map/reads.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/xla_cost.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;

Outcome ExpectSingle(const std::string& key, float actual, const json& xla) {
  const float expected = xla.contains(key) ? static_cast<float>(xla[key].get<double>()) : 0;
  return Expect(key.c_str(), actual, expected);
}

Outcome CheckXla(const hlo::Module& module, const json& xla) {
  const XlaCost c = XlaCostOf(module, module.entry_id()).value();
  Outcome o = First({ExpectSingle("flops", c.flops, xla),
                     ExpectSingle("transcendentals", c.transcendentals, xla),
                     ExpectSingle("bytes accessed", c.bytes_accessed, xla),
                     ExpectSingle("bytes accessedout{}", c.output_bytes, xla)});
  for (size_t k = 0; k < 8; ++k) {
    const float bytes = k < c.operand_bytes.size() ? c.operand_bytes[k] : 0;
    o = First({o, ExpectSingle(absl::StrCat("bytes accessed", k, "{}"), bytes, xla)});
  }
  return o;
}

// Taps of one spatial dimension of a convolution; equal in all of them in the cases.
int64_t ValidTaps(const hlo::Module& module, hlo::InstructionId id) {
  const auto dims = *hlo::GetConvolutionDimensions(module, id);
  const hlo::WindowDimension w = hlo::GetWindow(module, id)[0];
  return CountTaps(w.stride, -w.padding_low, w.window_dilation, w.size, w.base_dilation,
                   module.shape(module.operands(id)[0]).dim(dims.input_spatial[0]), 0,
                   module.shape(id).dim(dims.output_spatial[0]))
      .value();
}

int64_t NaiveFlops(const hlo::Module& module, hlo::InstructionId id) {
  const auto dims = *hlo::GetConvolutionDimensions(module, id);
  int64_t flops = 2 * *module.shape(id).NumElements();
  for (const hlo::WindowDimension& w : hlo::GetWindow(module, id)) flops *= w.size;
  return flops * module.shape(module.operands(id)[1]).dim(dims.kernel_input_feature);
}

json WriteTotals(const Totals& t) {
  return {{"flops", t.flops}, {"transcendentals", t.transcendentals}, {"bytes", t.bytes}};
}

// All fields that a case may ask for.
json ExactFields(const hlo::Module& module) {
  const hlo::InstructionId root = module.entry().root;
  const Totals t = TotalsOf(module, module.entry_id()).value();
  const Traffic traffic = TrafficOf(module, root, CostMode::kExact).value();
  const Traffic unpadded = TrafficOf(module, root, CostMode::kXla).value();
  json out = WriteTotals(t);
  out["bytes_read"] = traffic.read;
  out["bytes_written"] = traffic.written;
  out["sent_per_device"] = t.sent;
  out["unknown"] = t.unknown;
  int64_t plain = unpadded.written;
  for (int64_t bytes : unpadded.read) plain += bytes;
  out["bytes_unpadded"] = plain;
  if (module.instruction(root).opcode == hlo::Opcode::kConvolution &&
      !hlo::GetWindow(module, root).empty()) {
    out["valid_taps_per_dim"] = ValidTaps(module, root);
    out["naive_flops"] = NaiveFlops(module, root);
  }
  if (module.instruction(root).opcode == hlo::Opcode::kWhile) {
    const std::optional<int64_t> trips = TripCount(module, root);
    out["trip_count"] = trips.has_value() ? json(*trips) : json();
  }
  if (module.instruction(root).opcode == hlo::Opcode::kConditional) {
    for (hlo::ComputationId branch : module.called(root)) {
      out["branches"].push_back(WriteTotals(TotalsOf(module, branch).value()));
    }
  }
  if (module.instruction(root).opcode == hlo::Opcode::kCustomCall && !t.unknown.empty())
    out["flops"] = nullptr;
  return out;
}

Outcome CheckHloCost(const json& c) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(c["hlo"].get<std::string>());
  if (!module.ok()) return Failed(module.status().ToString());
  const Outcome xla = CheckXla(*module, c["xla"]);
  if (xla.verdict != Verdict::kPassed) return xla;
  const json exact = ExactFields(*module);
  for (const auto& [key, value] : c["exact"].items()) {
    if (!exact.contains(key) || exact[key] != value) {
      return Expect(key.c_str(), exact.contains(key) ? exact[key].dump() : "nothing", value.dump());
    }
  }
  bool agree = true;
  for (const auto& [key, name] : {std::pair("flops", "flops"),
                                  {"bytes", "bytes accessed"},
                                  {"transcendentals", "transcendentals"}}) {
    if (!c["exact"].contains(key)) continue;
    const double theirs = c["xla"].contains(name) ? c["xla"][name].get<double>() : 0;
    agree &= exact[key].is_number() && exact[key].get<double>() == theirs;
  }
  return Expect("agree", agree, c["agree"].get<bool>());
}

Outcome CheckTripCount(const json& c) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(c["hlo"].get<std::string>());
  if (!module.ok()) return Failed(module.status().ToString());
  const std::optional<int64_t> trips = TripCount(*module, module->entry().root);
  const Totals t = TotalsOf(*module, module->entry_id()).value();
  const json got = trips.has_value() ? json(*trips) : json();
  const json flops = trips.has_value() ? json(t.flops) : json();
  return First({Expect("trip_count", got, c["trip_count"]), Expect("flops", flops, c["flops"])});
}

constexpr KindRow kHloCostKinds[] = {
    {"hlo_cost", CheckHloCost},
    {"trip_count", CheckTripCount},
};

}  // namespace

Outcome CheckProjectionHloCost(const json& c) { return CheckByKind(kHloCostKinds, c); }

}  // namespace tessera::testing
