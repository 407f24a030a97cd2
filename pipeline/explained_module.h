// Why tensors have their shardings, for programs: the answers of `tessera explain`.
//
//   absl::StatusOr<ExplainedModule> m = ExplainModule(std::move(module), options);
//   m->Explain("dot.7");               // each axis, back to its annotation
//   m->Explain("dot.7:0", "model");    // or what refused it, and edits that bring it
//
// For the steps as data take ExplainAsJson(), or the events themselves: Propagate() of shard.h with
// a Recorder, and sharding/explain.
//
// Cost: one propagation with a record of its steps; an answer is linear in its steps, and one that
// tries edits propagates once for each. Tested by explained_module_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAINED_MODULE_H_
#define TESSERA_PIPELINE_EXPLAINED_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard_options.h"

namespace tessera::pipeline {

struct Explained;

class ExplainedModule {
 public:
  ExplainedModule(ExplainedModule&&);
  ExplainedModule& operator=(ExplainedModule&&);
  ~ExplainedModule();

  // `tensor` as on the command line: an instruction (`while.3{1}` for one array of several, `:0` for
  // one dimension), an argument path, an op_name, FILE.py:LINE, `result`. `axis` of the mesh, or all
  // of them. InvalidArgument for a name that fits no tensor or several, which the message lists, and
  // for an axis that no mesh has.
  absl::StatusOr<std::string> Explain(absl::string_view tensor, absl::string_view axis = "") const;
  // The same as a message Explanation of pipeline/schema/explain_answer.proto.
  absl::StatusOr<std::string> ExplainAsJson(absl::string_view tensor,
                                            absl::string_view axis = "") const;

  // Notes for the user, a line each.
  const std::vector<std::string>& notes() const;

 private:
  friend absl::StatusOr<ExplainedModule> ExplainModule(hlo::Module, const ShardOptions&);
  explicit ExplainedModule(Explained explained);

  std::unique_ptr<Explained> explained_;
};

// Errors as of Shard() (sharded_module.h).
absl::StatusOr<ExplainedModule> ExplainModule(hlo::Module module, const ShardOptions& options = {});

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAINED_MODULE_H_
