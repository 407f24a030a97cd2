// A pass, and a pipeline as a list of passes.
//
//   Pipeline pipeline = PreparePasses(options);              // pass_lists.h
//   for (const Pass& pass : pipeline) std::cout << pass.name << "\n";
//   absl::Status status = RunPasses(pipeline, &context);
//
// Only passes of the list run. So a caller that prints it (`tessera passes`), stops in it or
// measures it sees the whole run. A pass has the name that the reference has for it; those that
// only tessera has are named in the same style.

#ifndef TESSERA_SHARDING_PASSES_PASS_H_
#define TESSERA_SHARDING_PASSES_PASS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/context.h"

namespace tessera::sharding::passes {

// Where in the run a pass stands; the phases follow one another.
enum class Phase : uint8_t {
  kCleanUp,    // HLO to HLO, what the compiler does before the sharding pass
  kImport,     // HLO to program
  kPrepare,    // the program, made ready
  kPropagate,  // the program, propagated
  kExport,     // the program, made ready to be written
  kEmit,       // program to HLO
};

// "clean-up", "import", "prepare", "propagate", "export", "emit".
absl::string_view PhaseName(Phase phase);

struct Pass {
  absl::string_view name;
  Phase phase = Phase::kCleanUp;
  absl::string_view reference;  // what the reference calls it; "-": only tessera has it
  absl::string_view summary;    // what it does, in one line
  std::function<absl::Status(Context&)> run;

  absl::Status Run(Context& context) const { return run(context); }
};

using Pipeline = std::vector<Pass>;

// Observes a run; `place` is the index of the pass in the pipeline.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  virtual void BeforePass(const Pass& /*pass*/, size_t /*place*/) {}
  // An error ends the run.
  virtual absl::Status AfterPass(const Pass& pass, size_t place, const Context& context) = 0;
};

// Runs passes [begin, end) of the pipeline, up to the first error.
absl::Status RunPasses(const Pipeline& pipeline, size_t begin, size_t end, Context* context,
                       PassObserver* observer = nullptr);
absl::Status RunPasses(const Pipeline& pipeline, Context* context,
                       PassObserver* observer = nullptr);

// The place of the first pass of `phase` or of a later one.
size_t BeginOf(const Pipeline& pipeline, Phase phase);

// `09.canonicalize`: the pass at this place, counted from 0, as `tessera passes` numbers it.
std::string NumberedPass(absl::string_view pass, size_t place);
// Whether `name` is that of the pass, its number, or both as above.
bool NamesPass(absl::string_view name, absl::string_view pass, size_t place);
// Whether one of the passes, of this pipeline or of a target, has this name.
template <typename Passes>
bool HasPass(const Passes& passes, absl::string_view name) {
  return absl::c_any_of(passes, [&](const auto& pass) { return pass.name == name; });
}

// The place of a pass: by its name, its number, or the name of a pass of the reference that it alone does.
// InvalidArgument with the names that are nearest for one that is not there.
absl::StatusOr<size_t> FindPass(const Pipeline& pipeline, absl::string_view name);

// After one another.
Pipeline Concatenate(std::vector<Pipeline> pipelines);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PASS_H_
