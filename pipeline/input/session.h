// Modules and results of one question, kept for the questions that follow: a process that asks many
// about one module (python/engine) reads and propagates it once.
//
//   Session session;
//   session.AddFile("-", text::Source::FromString("<text>", hlo));
//   RunVerb(AllVerbs(), {"explain", "-", "dot.7"}, &session);
//   RunVerb(AllVerbs(), {"explain", "-", "dot.9"}, &session);   // reads and propagates nothing
//
// Verbs know of it by read_module.h. For one thread at a time. Values live as long as the session,
// one for each way in which its questions propagate. Tested by session_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_SESSION_H_
#define TESSERA_PIPELINE_INPUT_SESSION_H_

#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {

class Session {
 public:
  using Modules = std::shared_ptr<const std::vector<hlo::Module>>;
  using Made = std::shared_ptr<const void>;

  // A text that stands for the file of this name wherever a question names it.
  void AddFile(std::string name, std::shared_ptr<const text::Source> text);
  // A file that was added; null for others.
  std::shared_ptr<const text::Source> FindFile(absl::string_view name) const;

  // A session of its own with these files and with the modules that have been read of them.
  Session WithSameFiles() const;

  // The value kept for `key`, or that of `make` now. Errors are not kept.
  absl::StatusOr<Modules> KeepModules(const std::string& key,
                                      absl::FunctionRef<absl::StatusOr<Modules>()> make);
  absl::StatusOr<Made> Keep(std::type_index type, const std::string& key,
                            absl::FunctionRef<absl::StatusOr<Made>()> make);

 private:
  std::map<std::string, std::shared_ptr<const text::Source>, std::less<>> files_;
  std::map<std::string, Modules> modules_;
  std::map<std::pair<std::type_index, std::string>, Made> made_;
};

// A file that a flag names: of the session, or of the disk. Errors as of text::Source::FromFile().
absl::StatusOr<std::shared_ptr<const text::Source>> ReadFile(const Arguments& arguments,
                                                             const std::string& path);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_SESSION_H_
