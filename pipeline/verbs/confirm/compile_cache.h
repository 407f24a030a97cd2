// Earlier results of compilers, by the contents of the question.
//
//   const CompileCache cache = CompileCache::OfUser();       // $XDG_CACHE_HOME/tessera/compiled
//   std::optional<CompiledProgram> before = cache.Find(question);
//   cache.Keep(question, program);
//
// An entry is a folder, named by a hash, with the whole question beside the answer: two questions
// with one hash are not confused. A folder that cannot be written keeps nothing, and nobody fails.
// Tested by compile_cache_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_CONFIRM_COMPILE_CACHE_H_
#define TESSERA_PIPELINE_VERBS_CONFIRM_COMPILE_CACHE_H_

#include <optional>
#include <string>
#include <utility>

namespace tessera::pipeline {

struct CompiledProgram {
  std::string text;     // HLO
  std::string memory;   // the compiler's report: lines "peak_memory 123"
  std::string warning;  // where it did not propagate by Shardy; a line for people
};

class CompileCache {
 public:
  // Below this folder; empty: nothing is kept.
  explicit CompileCache(std::string folder) : folder_(std::move(folder)) {}
  // The folder that the environment gives: XDG_CACHE_HOME, else .cache in HOME.
  static CompileCache OfUser();

  std::optional<CompiledProgram> Find(const std::string& question) const;
  void Keep(const std::string& question, const CompiledProgram& program) const;
  // Of the text of an answer that is kept, for people.
  std::string PathOf(const std::string& question) const;

 private:
  std::string FolderOf(const std::string& question) const;

  std::string folder_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONFIRM_COMPILE_CACHE_H_
