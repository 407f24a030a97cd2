#include "tessera/cost/calibrate/machine_fit.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/hlo/parser.h"

namespace tessera::cost {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

Machine MachineWith(double launch, double memory, double peak) {
  Machine machine;
  machine.topology.set_name("lab");
  projection::Device* device = machine.topology.mutable_device();
  device->set_launch_s(launch);
  device->set_hbm_bytes_per_s(memory);
  for (const char* type : {"f32", "bf16"}) {
    projection::Peak* of = device->add_peak();
    of->set_dtype(type);
    of->set_flops_per_s(peak);
  }
  return machine;
}

// Products and copies of many sizes, as a compiler leaves them.
hlo::Module ProgramOfSizes() {
  std::string text = "HloModule jit_step, is_scheduled=true\nENTRY e {\n";
  for (int k = 0; k < 6; ++k) {
    const int n = 32 << k;
    absl::StrAppend(&text, "x", k, " = f32[", n, ",", n, "]{1,0} parameter(", k, ")\n");
    absl::StrAppend(&text, "d", k, " = f32[", n, ",", n, "]{1,0} dot(x", k, ", x", k,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
    absl::StrAppend(&text, "n", k, " = f32[", n, ",", n, "]{1,0} negate(x", k, ")\n");
  }
  auto module = hlo::ParseModule(text + "ROOT t = () tuple()\n}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

struct Measured {
  hlo::Module module;
  target::ProgramKernels program;
  target::StandingCollectives standing;
  Trace trace;
};

// A profile on `machine`: three runs, one of them slow.
Measured MeasuredOn(const Machine& machine) {
  hlo::Module module = ProgramOfSizes();
  auto program = target::FindKernels(module);
  auto standing = target::FindStanding(module);
  Measured measured = {std::move(module), *std::move(program), *std::move(standing), {}};
  const auto clock = KernelClock::Of(machine.topology.device());
  for (const auto& computation : measured.program.computations) {
    for (const target::DeviceKernel& kernel : computation.kernels) {
      const double seconds = clock->TimeOf(kernel).seconds;
      const std::string name(measured.module.instruction(kernel.instruction).name);
      measured.trace.ops[name].seconds = {seconds, 50 * seconds, seconds};
    }
  }
  return measured;
}

TEST(MachineFitTest, FindsTheMachineThatWasMeasured) {
  const Measured measured = MeasuredOn(MachineWith(2e-5, 8e9, 5e10));
  const auto samples =
      SamplesOf(measured.module, measured.program, measured.standing, measured.trace);
  EXPECT_EQ(samples.size(), 12u);
  const auto fit = FitMachine(MachineWith(1e-6, 1e11, 1e12), samples);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_GT(fit->before, 5);
  EXPECT_LT(fit->after, 1.05);
  const projection::Device& device = fit->topology.device();
  EXPECT_THAT(device.launch_s() / 2e-5, AllOf(Ge(0.8), Le(1.25)));
  EXPECT_THAT(device.hbm_bytes_per_s() / 8e9, AllOf(Ge(0.9), Le(1.1)));
  EXPECT_THAT(device.peak(0).flops_per_s() / 5e10, AllOf(Ge(0.9), Le(1.1)));
}

TEST(MachineFitTest, WhatNothingDependsOnStays) {
  const Measured measured = MeasuredOn(MachineWith(2e-5, 8e9, 5e10));
  const auto fit =
      FitMachine(MachineWith(1e-6, 1e11, 1e12),
                 SamplesOf(measured.module, measured.program, measured.standing, measured.trace));
  ASSERT_TRUE(fit.ok()) << fit.status();
  ASSERT_EQ(fit->parameters.size(), 4u);
  EXPECT_EQ(fit->parameters[2].name, "device.peak f32.flops_per_s");
  EXPECT_TRUE(fit->parameters[2].is_seen);
  EXPECT_EQ(fit->parameters[3].name, "device.peak bf16.flops_per_s");
  EXPECT_FALSE(fit->parameters[3].is_seen);
  EXPECT_EQ(fit->parameters[3].after, 1e12);
}

TEST(MachineFitTest, WhatIsMissingIsSaid) {
  EXPECT_THAT(FitMachine(Machine(), {}).status().message(), HasSubstr("needs hbm_bytes_per_s"));
  EXPECT_THAT(FitMachine(MachineWith(1e-6, 1e11, 1e12), {}).status().message(),
              HasSubstr("no kernel and no collective"));
}

}  // namespace
}  // namespace tessera::cost
