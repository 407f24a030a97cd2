// A module after a pass, as text, for tests.
//
//   EXPECT_EQ(After(RemoveDeadCode, "HloModule m\n.."), "..");

#ifndef TESSERA_TARGET_PASSES_AFTER_PASS_H_
#define TESSERA_TARGET_PASSES_AFTER_PASS_H_

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/target/pass.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {

// A pass says where each collective that it makes comes from (program/provenance.h).
inline void ExpectOrigins(Context& context) {
  for (const ComputationId c : context.program.Computations()) {
    for (const InstructionId id : context.program.PostOrder(c)) {
      if (!IsCollective(context.program.opcode(id))) continue;
      EXPECT_FALSE(context.origins.Of(id).parts.empty())
          << context.program.module().instruction(id).name;
    }
  }
}

// On the devices of a target; without the first line. The message of an error in place of the text. Collectives in
// front of Shardy (`is_after_partitioner` false) have no origin.
inline std::string After(absl::Status (*run)(Context&), const std::string& text,
                         const XlaFlags& flags = XlaFlags(), const std::string& target = "h100:8",
                         bool is_after_partitioner = true) {
  const std::string header =
      "HloModule m, num_partitions=" + std::to_string(ParseTarget(target)->num_devices()) + "\n\n";
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(header + text);
  if (!module.ok()) return std::string(module.status().message());
  Context context(*std::move(module), *ParseTarget(target), flags);
  const absl::Status status = run(context);
  if (!status.ok()) return std::string(status.message());
  if (is_after_partitioner) ExpectOrigins(context);
  hlo::PrintOptions options = hlo::PrintOptions::ShortParsable();
  options.load_like_xla = false;
  options.large_constants = true;
  const std::string all = hlo::PrintModule(std::move(context.program).Release(), options);
  return all.substr(all.find("\n\n") + 2);
}

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_AFTER_PASS_H_
