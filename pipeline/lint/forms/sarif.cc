// SARIF 2.1.0 (OASIS): one run, the rules in the driver, a result for each finding. A finding
// without a line of the user's program points at the module itself.

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/lint/forms/forms.h"
#include "tessera/pipeline/lint/forms/source_place.h"
#include "tessera/pipeline/version.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline::lint {
namespace {

using text::JsonWriter;

constexpr char kSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// A path as a relative or file: reference (RFC 3986).
std::string UriOf(absl::string_view path) {
  std::string uri = path.substr(0, 1) == "/" ? "file://" : "";
  for (const char c : path) {
    const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' ||
                          c == '.' || c == '-' || c == '_' || c == '~';
    if (is_plain) {
      uri.push_back(c);
    } else {
      absl::StrAppend(&uri, "%",
                      absl::AsciiStrToUpper(
                          absl::StrCat(absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2))));
    }
  }
  return uri;
}

void PutText(absl::string_view key, absl::string_view text, JsonWriter* json) {
  json->Key(key).BeginObject().Key("text").String(text).EndObject();
}

void PutRules(JsonWriter* json) {
  json->Key("rules").BeginArray();
  for (const Rule& rule : Rules()) {
    json->BeginObject().Key("id").String(rule.id);
    PutText("shortDescription", rule.summary, json);
    PutText("help",
            absl::StrCat("The budget is --", rule.budget_flag, "; --ignore=", rule.id,
                         ":REGEX leaves findings out."),
            json);
    json->EndObject();
  }
  json->EndArray();
}

void PutLocation(const LintReport& report, const Finding& finding, JsonWriter* json) {
  const SourcePlace place = PlaceBelow(report.root, finding.location);
  json->Key("locations").BeginArray().BeginObject();
  json->Key("physicalLocation").BeginObject();
  json->Key("artifactLocation").BeginObject().Key("uri");
  json->String(UriOf(place.file.empty() ? report.file : place.file)).EndObject();
  json->Key("region").BeginObject().Key("startLine");
  json->Int(place.line > 0 ? place.line : 1).EndObject().EndObject();
  json->Key("logicalLocations").BeginArray().BeginObject();
  json->Key("name").String(finding.name).EndObject().EndArray();
  json->EndObject().EndArray();
}

int64_t IndexOf(absl::string_view rule) {
  int64_t index = 0;
  while (Rules()[static_cast<size_t>(index)].id != rule) ++index;
  return index;
}

// "mul" of "mul.79".
absl::string_view WithoutNumber(absl::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != name.npos && end + 1 < name.size() && name[end] == '.' ? name.substr(0, end) : name;
}

// By which a service knows a finding again in a later version of the program. Names are without their numbers, which
// JAX counts anew; findings that are equal then are counted.
class Fingerprints {
 public:
  std::string Of(const Finding& finding) {
    const std::string print = absl::StrCat(finding.rule, ":", WithoutNumber(finding.name));
    const int count = ++counts_[print];
    return count == 1 ? print : absl::StrCat(print, "#", count);
  }

 private:
  absl::flat_hash_map<std::string, int> counts_;
};

void PutResult(const LintReport& report, const Finding& finding, const std::string& fingerprint,
               JsonWriter* json) {
  json->BeginObject().Key("ruleId").String(finding.rule);
  json->Key("ruleIndex").Int(IndexOf(finding.rule));
  json->Key("level").String(SeverityWord(finding.severity));
  PutText(
      "message",
      finding.fix.empty() ? finding.message : absl::StrCat(finding.message, ". Fix: ", finding.fix),
      json);
  PutLocation(report, finding, json);
  json->Key("partialFingerprints").BeginObject().Key("tesseraFinding/v1");
  json->String(fingerprint).EndObject();
  json->EndObject();
}

}  // namespace

std::string LintSarif(const LintReport& report) {
  JsonWriter json;
  json.BeginObject().Key("$schema").String(kSchema).Key("version").String("2.1.0");
  json.Key("runs").BeginArray().BeginObject();
  json.Key("tool").BeginObject().Key("driver").BeginObject();
  json.Key("name").String("tessera").Key("version").String(kVersion);
  PutRules(&json);
  json.EndObject().EndObject();
  json.Key("results").BeginArray();
  Fingerprints fingerprints;
  for (const Finding& finding : report.findings) {
    PutResult(report, finding, fingerprints.Of(finding), &json);
  }
  json.EndArray().EndObject().EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline::lint
