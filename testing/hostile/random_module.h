// HLO modules at random whose instructions fit each other. Most pass the verifier and reach the
// code after it.
//
//   std::string text = RandomModule(17);     // the same text each time
//
// A module has up to some forty instructions of most opcodes, and shardings in all three notations.
// Its computations are called, looped over, chosen and fused. Sometimes sizes are zero or nearly
// 2^63, attributes contradict each other, or shardings have another rank. Aliases and donors may
// name nothing, and metadata may be no UTF-8. One text in twenty holds several modules.
// testing/fuzz/module_mutator.h makes ill-typed ones of them.
//
// Run through every verb by testing/hostile/all_verbs.cc.

#ifndef TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_
#define TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_

#include <string>

namespace tessera::testing::hostile {

std::string RandomModule(unsigned seed);

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_RANDOM_MODULE_H_
