#include "tessera/testing/families/hlo_families.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/answer/reference_form.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

using hlo::PrintOptions;
using nlohmann::json;

// Empty if equal, else the place of the first difference.
Outcome ExpectText(const std::string& what, const std::string& actual,
                   const std::string& expected) {
  if (actual == expected) return Passed();
  const size_t n = std::min(actual.size(), expected.size());
  const size_t at =
      std::mismatch(actual.begin(), actual.begin() + n, expected.begin()).first - actual.begin();
  const size_t from = at < 40 ? 0 : at - 40;
  return Failed(what + " differs at byte " + std::to_string(at) + ": got ..." +
                actual.substr(from, 100) + "..., expected ..." + expected.substr(from, 100));
}

// As the release prints that made the case.
std::string Print(const hlo::Module& module, const std::string& release,
                  const PrintOptions& options) {
  const auto reference = sharding::reference::FindReference(release);
  if (!reference.ok()) return std::string(reference.status().message());
  return hlo::PrintModule(module, pipeline::InFormOf(reference->behaviors, options));
}

std::string ReleaseOf(const json& c) {
  return c.value(kReferenceField, std::string(sharding::reference::kNewest));
}

Outcome CheckPrinted(const hlo::Module& module, const json& c, const char* field,
                     const PrintOptions& options) {
  if (!c.contains(field) || c[field].is_null()) return Passed();
  return ExpectText(field, Print(module, ReleaseOf(c), options), c[field].get<std::string>());
}

PrintOptions LongOptions() {
  PrintOptions options;
  options.large_constants = true;
  options.operand_shape = true;
  return options;
}

Outcome CheckText(const std::string& text, const json& c) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok()) return Failed(std::string(module.status().message()));
  return First({
      ExpectText("unchanged", hlo::Editor(*module).Apply(), text),
      CheckPrinted(*module, c, "printed", PrintOptions::Default()),
      CheckPrinted(*module, c, "short", PrintOptions::ShortParsable()),
      CheckPrinted(*module, c, "canonical", PrintOptions::Canonical()),
      CheckPrinted(*module, c, "long", LongOptions()),
  });
}

Outcome CheckRoundTrip(const json& c) {
  if (c.contains("newer")) return NotRun(c["newer"].dump());
  const Outcome input = CheckText(c["input"].get<std::string>(), c);
  if (input.verdict != Verdict::kPassed || !c["printed_is_fixed_point"].get<bool>()) return input;
  return CheckText(c["printed"].get<std::string>(),
                   json{{"printed", c["printed"]}, {kReferenceField, ReleaseOf(c)}});
}

// An error of a whole instruction is right after it here. The reference has read the next token already, and names that.
Outcome CheckPlace(const text::Source& source, size_t offset, const json& c) {
  const size_t token = source.text().find_first_not_of(" \t\r\n", offset);
  const text::Position at = source.PositionOf(std::min(token, source.text().size()));
  const int line = c["line"].get<int>();
  // The reference counts columns of the first line from 0.
  const int column = c["column"].get<int>() + (line == 1 ? 1 : 0);
  return First({Expect("line", at.line, line), Expect("column", at.column, column)});
}

Outcome CheckErrors(const json& c) {
  if (c.contains("newer")) return NotRun(c["newer"].dump());
  const auto source = text::Source::FromString("case", c["input"].get<std::string>());
  const hlo::ParsedText parsed = hlo::ParseOneModule(source);
  const bool refused = !parsed.diagnostics.ok();
  const std::string expect = c["expect"].get<std::string>();
  if (expect == "ok") {
    if (refused) return Passed();
    return CheckPrinted(parsed.modules[0], c, "printed", PrintOptions::Default());
  }
  if (!refused) return Failed("accepted, expected an error");
  if (expect == "abort" || c["kind"] == "silent") return Passed();
  return CheckPlace(*source, parsed.diagnostics.all()[0].offset, c);
}

// Where the reader goes with the older release.
constexpr std::pair<absl::string_view, absl::string_view> kOlderReading[] = {
    {"hlo_errors/ag_dims", "the dimensions after the first one are dropped, not refused"},
    {"hlo_errors/async_done_operand", "the end of an asynchronous op needs its start"},
    {"hlo_errors/async_two_callers", "an asynchronous computation has one start"},
};

// One text and what two releases make of it. One reader serves both: it goes with the newer one
// where that refuses the text, and reads all that it prints.
Outcome CheckReleases(const json& c) {
  for (const auto& [name, why] : kOlderReading) {
    if (c["case"] == std::string(name)) return NotRun(std::string(why));
  }
  const auto module = hlo::ParseModule(c["input"].get<std::string>());
  const json& newer = c["v0_12_0_1"];
  if (!newer.contains("printed")) return Expect("is accepted", module.ok(), false);
  if (!module.ok()) return Failed(std::string(module.status().message()));
  const auto check = [&](const char* field, const char* release) {
    if (!c[field].contains("printed")) return Passed();
    return ExpectText(release, Print(*module, release, PrintOptions::Default()),
                      c[field]["printed"].get<std::string>());
  };
  return First({check("v0_12_0_1", "0.12.0.1"), check("v0_10_2", "0.10.2")});
}

}  // namespace

std::vector<Family> HloFamilies() {
  return {{"hlo_roundtrip", CheckRoundTrip}, {"hlo_errors", CheckErrors}, {"text", CheckReleases}};
}

}  // namespace tessera::testing
