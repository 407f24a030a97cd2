#include "tessera/pipeline/watch/pass_dump.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/steps/program_text.h"

namespace tessera::pipeline {

using sharding::passes::Context;
using sharding::passes::NamesPass;
using sharding::passes::NumberedPass;
using sharding::passes::Pass;

DumpRequest ParseDumpRequest(absl::string_view text) {
  DumpRequest request;
  const size_t colon = text.find(':');
  request.pass = std::string(text.substr(0, colon));
  if (colon != absl::string_view::npos) request.folder = std::string(text.substr(colon + 1));
  return request;
}

absl::Status WriteDump(const DumpRequest& request, absl::string_view pass, size_t place,
                       absl::FunctionRef<std::string()> text) {
  if (request.pass != kAllPasses && !NamesPass(request.pass, pass, place)) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("--dump-after: cannot make the folder ",
                                               request.folder, ": ", error.message()));
  }
  return WriteWholeFile(absl::StrCat(request.folder, "/", NumberedPass(pass, place), ".txt"),
                        text());
}

absl::Status PassDump::AfterPass(const Pass& pass, size_t place, const Context& context) {
  is_met_ |= NamesPass(request_.pass, pass.name, place);
  return WriteDump(request_, pass.name, place, [&] { return ProgramText(context, behaviors_); });
}

}  // namespace tessera::pipeline
