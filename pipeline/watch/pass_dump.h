// Writes the program after a pass, or after each pass, to a file: two of them can be compared.
//
//   PassDump dump({"all", "before_after"}, behaviors);
//   options.pass_observer = &dump;      // before_after/09.canonicalize.txt, ..
//
// The number is the place in the pipeline, counted from 1. HLO is written as HLO, a program as
// sharding/passes/text/program_text.h prints it. Of a pass that runs twice the last state stays.

#ifndef TESSERA_PIPELINE_WATCH_PASS_DUMP_H_
#define TESSERA_PIPELINE_WATCH_PASS_DUMP_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/pass.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::pipeline {

inline constexpr char kDumpFolder[] = "tessera_dump";
inline constexpr char kAllPasses[] = "all";

struct DumpRequest {
  std::string pass;  // as sharding::passes::NamesPass() reads it, or kAllPasses
  std::string folder = kDumpFolder;
};

// PASS, all, PASS:DIR or all:DIR.
DumpRequest ParseDumpRequest(absl::string_view text);

// Writes `text` to the file of the pass at this place, if a flag names the pass. The folder is made if it
// is not there. An error where a file cannot be written.
absl::Status WriteDump(const DumpRequest& request, absl::string_view pass, size_t place,
                       absl::FunctionRef<std::string()> text);

class PassDump : public sharding::passes::PassObserver {
 public:
  PassDump(DumpRequest request, const sharding::reference::Behaviors& behaviors)
      : request_(std::move(request)), behaviors_(behaviors) {}

  // Errors as of WriteDump().
  absl::Status AfterPass(const sharding::passes::Pass& pass, size_t place,
                         const sharding::passes::Context& context) override;

  // The pass that the request names, if it has not run; else empty.
  std::string MissedPass() const { return is_met_ ? "" : request_.pass; }

 private:
  const DumpRequest request_;
  bool is_met_ = request_.pass == kAllPasses;
  const sharding::reference::Behaviors behaviors_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_WATCH_PASS_DUMP_H_
