#include "tessera/pipeline/verbs/confirm/compiler_flags.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/proto.h"
#include "tessera/pipeline/verbs/confirm/compile_cache.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Those that are whole arrays.
std::vector<int64_t> DonorsOf(const hlo::Module& module) {
  std::vector<int64_t> donors;
  for (const hlo::BufferDonor& donor : module.header().buffer_donor) {
    if (donor.parameter_index.empty()) donors.push_back(donor.parameter_number);
  }
  return donors;
}

// All on which the answer depends.
std::string KeyOf(const CompilerQuestion& question, const std::string& versions) {
  return absl::StrCat(versions, "\n", question.target.ToString(), " ", question.partitions, "\n",
                      absl::StrJoin(question.donors, ","), "\n", absl::StrJoin(question.flags, " "),
                      "\n", CompileScript(), ShardyFormScript(), "\n", question.module);
}

}  // namespace

std::vector<Flag> CompilerFlags() {
  return {{"python", "PATH", "the Python that has JAX", "python3"},
          {"timeout", "SECONDS", "ends a compilation that takes longer", "600"},
          {"no-cache", "", "neither reads nor writes the cache", ""}};
}

absl::StatusOr<CompilerQuestion> ReadQuestion(const target::Target& target,
                                              const Arguments& arguments) {
  CompilerQuestion question;
  question.python = arguments.Get("python");
  question.target = target;
  const std::string& flags = arguments.Get("xla-flags");
  if (flags != "env") question.flags = absl::StrSplit(flags, ' ', absl::SkipWhitespace());
  TESSERA_ASSIGN_OR_RETURN(question.seconds, arguments.Count("timeout", 1, "seconds"));
  return question;
}

absl::Status AskAbout(const hlo::Module& module, int64_t partitions, CompilerQuestion* question) {
  question->partitions = partitions;
  question->donors = DonorsOf(module);
  TESSERA_ASSIGN_OR_RETURN(question->module, hlo::ModuleToProto(module));
  return absl::OkStatus();
}

absl::StatusOr<Compiled> CompileOrFind(const CompilerQuestion& question, bool cached) {
  Compiled compiled;
  TESSERA_ASSIGN_OR_RETURN(compiled.versions, FindCompiler(question));
  const CompileCache cache = cached ? CompileCache::OfUser() : CompileCache("");
  const std::string key = KeyOf(question, compiled.versions);
  auto kept = cache.Find(key);
  if (kept.has_value()) {
    compiled.answer.program = *std::move(kept);
  } else {
    TESSERA_ASSIGN_OR_RETURN(compiled.answer, AskCompiler(question));
    if (compiled.answer.refusal.empty()) cache.Keep(key, compiled.answer.program);
  }
  compiled.note =
      absl::StrCat(compiled.answer.program.warning, "note: compiled by ", compiled.versions);
  if (cached && compiled.answer.refusal.empty()) {
    absl::StrAppend(&compiled.note, ", ", cache.PathOf(key));
  }
  compiled.note += "\n";
  return compiled;
}

}  // namespace tessera::pipeline
