// The time of each pass of a run.
//
//   PassTimer timer;
//   options.pass_observer = &timer;
//   TESSERA_RETURN_IF_ERROR(ShardModule(std::move(module), options).status());
//   for (const PassCost& cost : timer.costs()) ...
//
// The clock stands still between passes, so that other observers (dumps) do not count.

#ifndef TESSERA_PIPELINE_WATCH_PASS_TIMER_H_
#define TESSERA_PIPELINE_WATCH_PASS_TIMER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/pipeline/watch/instruction_counter.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline {

struct PassCost {
  std::string name;
  sharding::passes::Phase phase = sharding::passes::Phase::kCleanUp;
  double milliseconds = 0;   // CPU time of the thread
  int64_t instructions = 0;  // of the machine; 0: not known
  int64_t program_size = 0;  // instructions or ops of the program after the pass
};

class PassTimer : public sharding::passes::PassObserver {
 public:
  void BeforePass(const sharding::passes::Pass& pass, size_t place) override;
  absl::Status AfterPass(const sharding::passes::Pass& pass, size_t place,
                         const sharding::passes::Context& context) override;

  // By place in the pipeline, as far as the run came; a pass that ran twice has the sum.
  const std::vector<PassCost>& costs() const { return costs_; }

 private:
  std::vector<PassCost> costs_;
  InstructionCounter counter_;
  double milliseconds_ = 0;  // when the pass at work began
  int64_t instructions_ = 0;
};

// CPU time of this thread.
double CpuMilliseconds();

// A table of milliseconds, millions of machine instructions (- where nobody counts them), ops and
// names, with a line for the sum.
std::string PassTimingText(const std::vector<PassCost>& costs);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_WATCH_PASS_TIMER_H_
