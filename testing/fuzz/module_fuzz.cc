// Any module through everything. What the parser accepts is printed and read back; what the
// verifier accepts is counted, asked for its signatures, and sharded at both stages with both
// structures, whose texts must read back and agree (agreement.h); and one verb of the command line,
// which the bytes of the module choose with its flags, answers or refuses it. Nothing of this may
// end the process; errors are answers.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/verifier.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/module/module_stats.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/fuzz/agreement.h"
#include "tessera/testing/fuzz/module_mutator.h"
#include "tessera/testing/hostile/verb_runner.h"

namespace tessera::testing {
namespace {

constexpr size_t kMaxPrinted = 1 << 20;
constexpr size_t kMaxInstructions = 2000;

void Demand(const std::string& fault, absl::string_view text) {
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n%s\n", fault.c_str(), std::string(text).c_str());
  std::abort();
}

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

// A sharded module reads back, and so does what it is printed as; but for elided literals of tuples,
// as in XLA.
std::string ReadsBack(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok()) return absl::StrCat("does not read back: ", module.status().ToString());
  const auto printed =
      hlo::PrintModuleWithin(*module, hlo::PrintOptions::ShortParsable(), kMaxPrinted);
  if (!printed.ok() || absl::StrContains(*printed, "{...}")) return "";
  const auto again = hlo::ParseModule(*printed);
  return again.ok() ? "" : absl::StrCat("is printed wrong: ", again.status().ToString());
}

// The sharded text, none if the module is refused.
std::string Shard(const hlo::Module& module, pipeline::ShardOptions options,
                  pipeline::Structure structure) {
  options.structure = structure;
  const auto result = pipeline::ShardModule(module, options);
  if (!result.ok()) return "";
  Demand(ReadsBack(result->text), result->text);
  return result->text;
}

void Shard(const hlo::Module& module, absl::string_view text) {
  pipeline::ShardOptions options;
  options.mesh = *sharding::Mesh::Create({{"x", 2}, {"y", 2}});
  for (const auto stage : {pipeline::Stage::kAuto, pipeline::Stage::kPass}) {
    options.stage = stage;
    const std::string kept = Shard(module, options, pipeline::Structure::kKeep);
    const std::string renewed = Shard(module, options, pipeline::Structure::kXla);
    if (stage != pipeline::Stage::kPass || kept.empty() || renewed.empty()) continue;
    Demand(StructuresDisagree(text, kept, renewed), text);
  }
  Demand(EnginesDisagree(module, options), text);
}

// The folder in which verbs read and write goes with the process.
struct Scratch {
  Scratch() {
    std::string name = std::filesystem::temp_directory_path() / "module_fuzz.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder = name;
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  std::string folder;
};

void RunOneVerb(absl::string_view text) {
  static Scratch scratch;
  static hostile::VerbRunner& verbs = *new hostile::VerbRunner(scratch.folder);
  std::seed_seq seed(text.begin(), text.end());
  std::mt19937 random(seed);
  verbs.SetModules(text, text);
  (void)verbs.Run(random() % verbs.num_verbs(), &random);
}

void Check(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok() || module->num_instructions() > kMaxInstructions) return;
  Print(*module);
  RunOneVerb(text);
  if (!hlo::VerifyModule(*module).ok()) return;
  (void)pipeline::StatsOf(*module);
  AskSignatures(*module);
  Shard(*module, text);
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

// libFuzzer's own changes, by its dictionary among others; none without it.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace tessera::testing;  // NOLINT: three calls
  if (seed % 16 == 0 && LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  return Store(Mutator(seed).Change(AsText(data, size)), data, max_size, size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  using namespace tessera::testing;  // NOLINT: three calls
  const std::string child = Mutator(seed).Cross(AsText(a, a_size), AsText(b, b_size));
  return Store(child, out, max_size, 0);
}
