#include "tessera/testing/pairs/pair_file.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tessera::testing {
namespace {

constexpr absl::string_view kReference = "reference ";
constexpr absl::string_view kPair = "=== ";
constexpr absl::string_view kAfter = "--- after";

}  // namespace

absl::Status UnpackPairs(const std::string& path, const std::string& folder) {
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string line;
  std::getline(in, line);
  absl::string_view reference = line;
  if (!absl::ConsumePrefix(&reference, kReference)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": does not begin with 'reference'"));
  }
  std::ofstream(absl::StrCat(folder, "/REFERENCE")) << reference << "\n";
  std::string name;
  std::ofstream out;
  while (std::getline(in, line)) {
    absl::string_view rest = line;
    const bool begins_pair = absl::ConsumePrefix(&rest, kPair);
    if (begins_pair) name = absl::StrCat(folder, "/", rest);
    if (begins_pair || line == kAfter) {
      out = std::ofstream(absl::StrCat(name, begins_pair ? ".before.hlo" : ".after.hlo"));
    } else {
      out << line << "\n";
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::testing
