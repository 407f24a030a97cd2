#include "tessera/testing/driver.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/families/all_families.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/pairs/pair_check.h"
#include "tessera/testing/references/nearest_reference.h"
#include "tessera/testing/spmd/spmd_check.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

struct Tally {
  int passed = 0, failed = 0, not_run = 0;
  int refused = 0;  // of those that passed: by an error, as demanded
  std::vector<std::string> failures;
  std::map<std::string, int> not_run_why;

  void Count(const std::string& id, const Outcome& outcome, size_t show) {
    passed += outcome.verdict == Verdict::kPassed;
    failed += outcome.verdict == Verdict::kFailed;
    not_run += outcome.verdict == Verdict::kNotRun;
    if (outcome.verdict == Verdict::kNotRun) ++not_run_why[outcome.detail];
    if (outcome.verdict == Verdict::kFailed && failures.size() < show) {
      failures.push_back(absl::StrCat(id, ": ", outcome.detail));
    }
  }

  // An answer where the reference crashes is no pass, but it has been looked at.
  bool has_run() const { return passed + failed > 0 || not_run_why.count(kAnswered) > 0; }

  void Print(const std::string& name, std::ostream& out) const {
    for (const std::string& failure : failures) out << "  " << failure << "\n";
    for (const auto& [why, count] : not_run_why) {
      out << "  not run: " << count << " (" << why << ")\n";
    }
    out << name << ": " << passed << " passed, " << failed << " failed";
    if (refused > 0) out << " (" << refused << " refused, as by the reference)";
    if (not_run > 0) out << ", " << not_run << " not run";
    out << std::endl;
  }
};

Outcome RunCase(const Family& family, const nlohmann::json& one_case) {
  if (one_case.contains("newer")) return NotRun("newer XLA differs");
  try {
    return family.check(one_case);
  } catch (const std::exception& error) {
    return Failed(absl::StrCat("exception: ", error.what()));
  }
}

std::string CaseId(const nlohmann::json& one_case, const fs::path& file, int line) {
  if (one_case.contains("id") && one_case["id"].is_string()) return one_case["id"];
  return absl::StrCat(file.filename().string(), ":", line);
}

Tally RunFile(const fs::path& file, const std::vector<Family>& families, size_t show) {
  Tally tally;
  const std::string name = file.stem().string();
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const Family& f) { return f.name == name; });
  const auto reference = NearestReference(file);
  if (!reference.ok()) {
    tally.Count(file, Failed(std::string(reference.status().message())), show);
    return tally;
  }
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (text.empty()) continue;
    nlohmann::json one_case = nlohmann::json::parse(text, nullptr, false);
    const std::string id = CaseId(one_case, file, line);
    if (one_case.is_discarded()) {
      tally.Count(id, Failed("not JSON"), show);
    } else if (family == families.end()) {
      tally.Count(id, NotRun("no such family yet"), show);
    } else {
      one_case[kReferenceField] = reference->version;
      one_case[kCaseFileField] = file.string();
      tally.Count(id, RunCase(*family, one_case), show);
    }
  }
  return tally;
}

// The pair check says for both structures how each pair fared.
Tally RunFolder(const std::string& folder, size_t show) {
  Tally tally;
  if (fs::path(folder).parent_path().filename() == "spmd") {
    for (const std::string& name : FindTruths(folder)) {
      tally.Count(fs::path(name).filename().string(), CheckTruth(name), show);
    }
    return tally;
  }
  for (const std::string& name : FindPairs(folder)) {
    for (const auto& [structure, outcome] : CheckPair(name)) {
      tally.Count(absl::StrCat(fs::path(name).filename().string(), " (", structure, ")"), outcome,
                  show);
      tally.refused += outcome.verdict == Verdict::kPassed && absl::EndsWith(structure, "refused");
    }
  }
  return tally;
}

Tally RunArgument(const std::string& argument, const std::vector<Family>& families, size_t show) {
  Tally tally =
      fs::is_directory(argument) ? RunFolder(argument, show) : RunFile(argument, families, show);
  if (!tally.has_run()) tally.Count(argument, Failed("nothing ran"), show);
  return tally;
}

int BadUsage(std::ostream& err) {
  err << "usage: conformance [--show=K] FILE.jsonl|FOLDER ...\n";
  return 2;
}

}  // namespace

int Drive(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  size_t show = 5;
  Tally total;
  bool is_any_named = false;
  const std::vector<Family> families = AllFamilies();
  for (const std::string& argument : arguments) {
    if (absl::StartsWith(argument, "--show=")) {
      if (!absl::SimpleAtoi(argument.substr(7), &show)) return BadUsage(err);
      continue;
    }
    if (!fs::exists(argument)) {
      err << argument << ": no such file or folder\n";
      return 2;
    }
    is_any_named = true;
    const Tally tally = RunArgument(argument, families, show);
    tally.Print(argument, out);
    total.passed += tally.passed;
    total.failed += tally.failed;
  }
  if (!is_any_named) return BadUsage(err);
  out << total.passed << " passed, " << total.failed << " failed" << std::endl;
  return total.failed == 0 ? 0 : 1;
}

}  // namespace tessera::testing
