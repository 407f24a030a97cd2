// Runs a fuzz target on the inputs named on the command line: how kept inputs stay tests where
// there is no libFuzzer. A file *.hex holds many small inputs, one a line in hexadecimal digits.
//
// A target that brings a mutator is fuzzed as well when TESSERA_FUZZ_MUTATIONS=N is set: chains of
// N mutants in all, each begun at an input and continued while it grows by one change a step.
// TESSERA_FUZZ_KEEP=FILE has the mutant that runs now written there before, for the case that it
// ends the process; TESSERA_FUZZ_SEED chooses other mutants.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) __attribute__((weak));
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) __attribute__((weak));

namespace {

constexpr size_t kMaxBytes = size_t{1} << 16;
constexpr int kChain = 16;      // changes of one input
constexpr int kCrossEvery = 5;  // steps of which one takes from another input

const uint8_t* Bytes(const std::string& s) { return reinterpret_cast<const uint8_t*>(s.data()); }

void Run(const std::string& input) { LLVMFuzzerTestOneInput(Bytes(input), input.size()); }

std::string FromHex(const std::string& line) {
  std::string out;
  for (size_t i = 0; i + 1 < line.size(); i += 2) {
    out += static_cast<char>(std::strtol(line.substr(i, 2).c_str(), nullptr, 16));
  }
  return out;
}

bool Read(const std::string& path, std::vector<std::string>* inputs) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (path.size() < 4 || path.substr(path.size() - 4) != ".hex") {
    inputs->push_back(std::move(bytes));
    return true;
  }
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) inputs->push_back(FromHex(line));
  return true;
}

long FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atol(value);
}

std::string Mutated(const std::string& input, const std::string& other, unsigned seed) {
  std::vector<uint8_t> buffer(kMaxBytes);
  if (seed % kCrossEvery == 0 && LLVMFuzzerCustomCrossOver != nullptr) {
    const size_t size = LLVMFuzzerCustomCrossOver(Bytes(input), input.size(), Bytes(other),
                                                  other.size(), buffer.data(), kMaxBytes, seed);
    return {reinterpret_cast<const char*>(buffer.data()), size};
  }
  std::copy(input.begin(), input.end(), buffer.begin());
  const size_t size = LLVMFuzzerCustomMutator(buffer.data(), input.size(), kMaxBytes, seed);
  return {reinterpret_cast<const char*>(buffer.data()), size};
}

void Mutate(const std::vector<std::string>& inputs, long mutants, unsigned seed) {
  const char* keep = std::getenv("TESSERA_FUZZ_KEEP");
  std::string now;
  for (long i = 0; i < mutants; ++i, seed = seed * 1664525u + 1013904223u) {
    if (i % kChain == 0) now = inputs[(seed >> 8) % inputs.size()];
    if (now.size() > kMaxBytes) now.clear();
    const std::string next = Mutated(now, inputs[(seed >> 12) % inputs.size()], seed >> 4);
    if (keep != nullptr) std::ofstream(keep, std::ios::binary) << next;
    Run(next);
    if (!next.empty()) now = next;
  }
  std::printf("ran %ld mutants\n", mutants);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    if (Read(argv[i], &inputs)) continue;
    std::fprintf(stderr, "cannot read %s\n", argv[i]);
    return 1;
  }
  for (const std::string& input : inputs) Run(input);
  std::printf("replayed %zu inputs\n", inputs.size());
  const long mutants = FromEnvironment("TESSERA_FUZZ_MUTATIONS");
  if (LLVMFuzzerCustomMutator != nullptr && !inputs.empty()) {
    Mutate(inputs, mutants, static_cast<unsigned>(FromEnvironment("TESSERA_FUZZ_SEED")) + 1);
  }
  return inputs.empty() ? 1 : 0;
}
