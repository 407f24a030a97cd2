// HLO modules at random whose instructions fit each other: most pass the verifier, so that what
// lies behind it is reached.
//
//   std::string text = RandomModule(17);     // the same text each time
//
// A module has up to some forty instructions of most opcodes, computations that are called, looped
// over, chosen and fused, shardings of all three notations, and now and then sizes of zero, of
// nearly 2^63, attributes that contradict each other, shardings of another rank, aliases and donors
// that name nothing, and metadata that is no UTF-8. One text in twenty holds several modules.
// testing/fuzz/module_mutator.h makes ill typed ones of them.
//
// Run through every verb by testing/hostile/all_verbs.cc.

#ifndef TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_
#define TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_

#include <string>

namespace tessera::testing::hostile {

std::string RandomModule(unsigned seed);

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_
