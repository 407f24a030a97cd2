// The library's front door: a module and the sharding that XLA gives each of its tensors.
//
//   absl::StatusOr<ShardedModule> m = Shard(std::move(module), options);
//   m->Find("dot.7")->spec;              // "P('data', None)", in the axis names of the mesh
//   m->results()[0].sharding->dim(0);    // the axes themselves; null if there is none
//   m->ToHlo();                          // what `tessera shard` prints
//
// These are the final shardings, those that the SPMD partitioner gets and that JAX calls
// compiled.input_shardings and output_shardings. shard.h has the states in between, and
// sharding/passes the passes one by one.
//
// Cost: linear in the instructions; each ToHlo() is a run of its own. Tested by
// sharded_module_test.cc.

#ifndef TESSERA_PIPELINE_SHARDED_MODULE_H_
#define TESSERA_PIPELINE_SHARDED_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/tensors.h"

namespace tessera::pipeline {

class ShardedModule {
 public:
  ShardedModule(ShardedModule&&) = default;
  ShardedModule& operator=(ShardedModule&&) = default;

  // Every array of the program in order of the text, then of inner computations; what is dead is
  // not there. What they point to lives as long as this.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Of the module, in order: `result`, or `result{0}`, `result{1}`, ..
  const std::vector<Tensor>& results() const { return results_; }
  // By name: an instruction, `while.3{1}` for one array of several, `result`; `out['w1']` where
  // ShardOptions::result_names has it. Null if there is none.
  const Tensor* Find(absl::string_view name) const;

  // Notes for the user, a line each.
  const std::vector<std::string>& notes() const { return sharded_->notes; }

  // The module with its shardings as text. Errors as of ShardModule().
  absl::StatusOr<std::string> ToHlo() const;

 private:
  friend absl::StatusOr<ShardedModule> Shard(hlo::Module module, const ShardOptions& options);
  ShardedModule(std::unique_ptr<PropagatedModule> sharded, const ShardOptions& options);

  std::unique_ptr<PropagatedModule> sharded_;
  ShardOptions options_;
  std::vector<Tensor> tensors_, results_;
  absl::flat_hash_map<absl::string_view, const Tensor*> by_name_;
};

// The message of an error about the module has file, line, column and caret in its text, one for
// each mistake.
absl::StatusOr<ShardedModule> Shard(hlo::Module module, const ShardOptions& options = {});

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_SHARDED_MODULE_H_
