// The numbers of a machine file, fitted to what a profile measured.
//
//   const std::vector<Sample> samples = SamplesOf(module, program, standing, trace);
//   TESSERA_ASSIGN_OR_RETURN(const MachineFit fit, FitMachine(machine, samples));
//   fit.topology            // the file again, with other numbers
//   fit.before, fit.after   // 3.1 and 1.2: the factor by which a kernel is wrong
//   fit.parameters[0]       // {"device.launch_s", 1e-6, 2.4e-5, true}
//
// The numbers of the file move: of `device` launch_s, hbm_bytes_per_s, transcendental_per_s and
// flops_per_s of each peak; of links their bytes a second and alpha_s. A number on which no sample
// depends stays as it is.
//
// The error is the mean of |log(predicted / measured)|^2 over the measured time, so that long kernels
// count more. Far from where a number started it costs a little, so that one which hardly matters
// stays. The search tries each number a factor higher and lower, keeps the better one, and takes a
// smaller factor where neither is better: 4, 2, 1.4 .. 1.01. It finds the best of its
// neighbourhood, the same one every time.
//
// Cost: some hundred times that of all samples. Tested by machine_fit_test.cc with times of a known
// machine.

#ifndef TESSERA_COST_CALIBRATE_MACHINE_FIT_H_
#define TESSERA_COST_CALIBRATE_MACHINE_FIT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/trace/trace.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/kernels/program_kernels.h"

namespace tessera::cost {

// A kernel or a collective, one run of it.
struct Sample {
  const target::DeviceKernel* kernel = nullptr;
  const sharding::partition::Collective* collective = nullptr;
  double measured_s = 0;
  double weight = 0;  // its part of the measured time of all
};

// Those of the trace whose names are kernels or collectives of the program. Of a kernel the median
// of its events counts; of a collective the shortest, since the others wait for the last device.
// The samples point into `program` and `standing`.
std::vector<Sample> SamplesOf(const hlo::Module& module, const target::ProgramKernels& program,
                              const target::StandingCollectives& standing, const Trace& trace);

struct FittedNumber {
  std::string name;  // "device.peak f32.flops_per_s"
  double before = 0, after = 0;
  bool is_seen = false;  // some sample depends on it
};

struct MachineFit {
  projection::Topology topology;
  std::vector<FittedNumber> parameters;
  // exp(mean of |log(predicted / measured)|), by measured time: 1 is exact.
  double before = 0, after = 0;
};

// InvalidArgument for a machine without the numbers of KernelClock::Of(device), and without samples.
absl::StatusOr<MachineFit> FitMachine(const Machine& machine, const std::vector<Sample>& samples);

}  // namespace tessera::cost

#endif  // TESSERA_COST_CALIBRATE_MACHINE_FIT_H_
