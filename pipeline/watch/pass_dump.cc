#include "tessera/pipeline/watch/pass_dump.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/pipeline/command_line/output_file.h"
#include "tessera/pipeline/steps/program_text.h"

namespace tessera::pipeline {

using sharding::passes::Context;
using sharding::passes::Pass;

DumpRequest ParseDumpRequest(absl::string_view text) {
  DumpRequest request;
  const size_t colon = text.find(':');
  request.pass = std::string(text.substr(0, colon));
  if (colon != absl::string_view::npos) request.folder = std::string(text.substr(colon + 1));
  return request;
}

absl::Status PassDump::AfterPass(const Pass& pass, size_t place, const Context& context) {
  if (request_.pass != kAllPasses && request_.pass != pass.name) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(request_.folder, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("--dump-after: cannot make the folder ",
                                               request_.folder, ": ", error.message()));
  }
  const std::string file = absl::StrFormat("%s/%02d.%s.txt", request_.folder, place + 1, pass.name);
  return WriteWholeFile(file, ProgramText(context, behaviors_));
}

}  // namespace tessera::pipeline
