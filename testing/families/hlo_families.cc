#include "tessera/testing/families/hlo_families.h"

#include <algorithm>
#include <string>

#include "tessera/hlo/edit.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
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
  const size_t at = std::mismatch(actual.begin(), actual.begin() + n, expected.begin()).first -
                    actual.begin();
  const size_t from = at < 40 ? 0 : at - 40;
  return Failed(what + " differs at byte " + std::to_string(at) + ": got ..." +
                actual.substr(from, 100) + "..., expected ..." + expected.substr(from, 100));
}

Outcome CheckPrinted(const hlo::Module& module, const json& c, const char* field,
                     const PrintOptions& options) {
  if (!c.contains(field) || c[field].is_null()) return Passed();
  return ExpectText(field, hlo::PrintModule(module, options), c[field].get<std::string>());
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
  return CheckText(c["printed"].get<std::string>(), json{{"printed", c["printed"]}});
}

Outcome CheckPlace(const text::Source& source, size_t offset, const json& c) {
  const text::Position at = source.PositionOf(offset);
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
    return ExpectText("printed", hlo::PrintModule(parsed.modules[0], PrintOptions::Default()),
                      c["printed"].get<std::string>());
  }
  if (!refused) return Failed("accepted, expected an error");
  if (expect == "abort" || c["kind"] == "silent") return Passed();
  return CheckPlace(*source, parsed.diagnostics.all()[0].offset, c);
}

}  // namespace

std::vector<Family> HloFamilies() {
  return {{"hlo_roundtrip", CheckRoundTrip}, {"hlo_errors", CheckErrors}};
}

}  // namespace tessera::testing
