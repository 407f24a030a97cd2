// Any module through every verb: what the parser accepts is printed and read back, what the
// verifier accepts is sharded in both structures and stages, priced, and asked for its signatures.
// Nothing of this may end the process; errors are answers. A text that sharding gives must read
// back.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/verifier.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/module/module_stats.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/fuzz/module_mutator.h"

namespace tessera::testing {
namespace {

constexpr size_t kMaxPrinted = 1 << 20;
constexpr size_t kMaxInstructions = 2000;

void Print(const hlo::Module& module) {
  for (const auto& options : {hlo::PrintOptions::Default(), hlo::PrintOptions::ShortParsable(),
                              hlo::PrintOptions::Canonical()}) {
    (void)hlo::PrintModuleWithin(module, options, kMaxPrinted);
  }
  const auto proto = hlo::ModuleToProto(module);
  if (proto.ok()) (void)hlo::ProtoToText(*proto);
}

void AskSignatures(const hlo::Module& module) {
  for (const hlo::InstructionId id : module.entry().instructions) {
    const auto signature = projection::SignatureOf(module, id);
    if (signature.ok()) (void)projection::Project(*signature, signature->index);
  }
}

void Shard(const hlo::Module& module, pipeline::Stage stage, pipeline::Structure structure) {
  pipeline::ShardOptions options;
  options.stage = stage;
  options.structure = structure;
  options.mesh = *sharding::Mesh::Create({{"x", 2}, {"y", 2}});
  const auto result = pipeline::ShardModule(module, options);
  if (!result.ok()) return;
  const auto again = hlo::ParseModule(result->text);
  if (again.ok()) return;
  std::fprintf(stderr, "a sharded module does not read back: %s\n%s\n",
               again.status().ToString().c_str(), result->text.c_str());
  std::abort();
}

void Check(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok() || module->num_instructions() > kMaxInstructions) return;
  Print(*module);
  if (!hlo::VerifyModule(*module).ok()) return;
  (void)pipeline::StatsOf(*module);
  AskSignatures(*module);
  for (const auto stage : {pipeline::Stage::kAuto, pipeline::Stage::kPass}) {
    for (const auto structure : {pipeline::Structure::kKeep, pipeline::Structure::kXla}) {
      Shard(*module, stage, structure);
    }
  }
}

size_t Store(const std::string& text, uint8_t* data, size_t max_size, size_t size) {
  if (text.size() > max_size) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

absl::string_view AsText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace
}  // namespace tessera::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::testing::Check(tessera::testing::AsText(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace tessera::testing;  // NOLINT: three calls
  return Store(Mutator(seed).Change(AsText(data, size)), data, max_size, size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  using namespace tessera::testing;  // NOLINT: three calls
  const std::string child = Mutator(seed).Cross(AsText(a, a_size), AsText(b, b_size));
  return Store(child, out, max_size, 0);
}
