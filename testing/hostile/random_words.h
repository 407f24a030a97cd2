// A random command line for a verb, as of a user who knows no flag.
//
//   RandomWords("explain", files, &random);   // {"explain", "m.hlo", "v3:0", "--axis=a", "--json"}
//
// Every flag of every verb occurs, with values of which most make sense.

#ifndef TESSERA_TESTING_HOSTILE_RANDOM_WORDS_H_
#define TESSERA_TESTING_HOSTILE_RANDOM_WORDS_H_

#include <random>
#include <string>
#include <vector>

namespace tessera::testing::hostile {

// What words may name.
struct Files {
  std::string module, other, golden, output;
};

std::vector<std::string> RandomWords(const std::string& verb, const Files& files,
                                     std::mt19937* random);

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_RANDOM_WORDS_H_
