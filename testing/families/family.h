// A family of cases: one kind of `*.jsonl` file and the checks of its lines.
//
//   Outcome CheckLayoutSize(const nlohmann::json& c) {
//     const auto shape = layout::ParseShape(c["text"].get<std::string>());
//     if (!shape.ok()) return Failed(shape.status().ToString());
//     return Expect("data_bytes", SizesOf(*shape)->data_bytes, c["data_bytes"].get<int64_t>());
//   }
//
//   std::vector<Family> LayoutFamilies() { return {{"layout_size", CheckLayoutSize}}; }
//
// The driver (testing/driver.h) finds the family by the name of the file without `.jsonl`. A
// checker never throws on purpose; a missing field throws in the JSON library, and the driver
// reports that case as failed.

#ifndef TESSERA_TESTING_FAMILIES_FAMILY_H_
#define TESSERA_TESTING_FAMILIES_FAMILY_H_

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace tessera::testing {

enum class Verdict { kPassed, kFailed, kNotRun };

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string detail;  // what differs, or why it was not run
};

inline Outcome Passed() { return {}; }
inline Outcome Failed(std::string detail) { return {Verdict::kFailed, std::move(detail)}; }
inline Outcome NotRun(std::string why) { return {Verdict::kNotRun, std::move(why)}; }

// Passed if equal; else "what: got A, expected B".
template <typename A, typename B>
Outcome Expect(const char* what, const A& actual, const B& expected) {
  if (actual == expected) return Passed();
  std::ostringstream out;
  out << what << ": got " << actual << ", expected " << expected;
  return Failed(out.str());
}

// The first of `outcomes` that did not pass.
inline Outcome First(std::initializer_list<Outcome> outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::kPassed) return outcome;
  }
  return Passed();
}

// The driver adds to each case which release of the reference made it: "reference": "0.10.2".
inline constexpr char kReferenceField[] = "reference";
// And the path of the file that it stands in.
inline constexpr char kCaseFileField[] = "case_file";

struct Family {
  std::string name;  // "layout_size": the file's name without .jsonl
  Outcome (*check)(const nlohmann::json& one_case);
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_FAMILY_H_
