// Modules that grow without end in one direction: code that costs more than it should shows as soon
// as one of them is four times as large.
//
//   for (const Generator& g : Generators()) g.make(1000);   // HLO with some thousand instructions

#ifndef TESSERA_TESTING_HOSTILE_GENERATORS_H_
#define TESSERA_TESTING_HOSTILE_GENERATORS_H_

#include <ostream>
#include <string>
#include <vector>

namespace tessera::testing::hostile {

// Of four times the input four times the work, with some room for n log n and tables that double.
constexpr double kLinear = 5.5;

struct Generator {
  std::string name;
  std::string (*make)(int n);
  int n;           // a size at which faster growth than n log n shows in a fraction of a second
  bool as_passed;  // Stage::kPass, for what the clean-up would take away
  double most = kLinear;  // how much work four times the size may take
  const char* projected = "r";
};

// The name in messages of a test.
inline void PrintTo(const Generator& generator, std::ostream* out) { *out << generator.name; }

std::vector<Generator> Generators();

// `n` computations, each of which calls the one before it once, or twice.
std::string ChainOfCalls(int n);
std::string ChainOfFusions(int n);
std::string ChainOfMaps(int n);
std::string ChainOfCustomCalls(int n);
std::string DagOfCalls(int n);
std::string DagOfFusions(int n);
std::string DagOfMaps(int n);
std::string DagOfBranches(int n);
std::string NestedLoops(int n);
std::string ChainOfConstants(int n);
// Indices after a chain of `n` broadcasts.
std::string GatherThroughBroadcasts(int n);
// A chain of `n` constants that `n` ops read.
std::string SharedChainOfConstants(int n);

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_GENERATORS_H_
