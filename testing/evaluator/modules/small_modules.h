// Modules of a few instructions, at least one for each op family.
#ifndef TESSERA_TESTING_EVALUATOR_MODULES_SMALL_MODULES_H_
#define TESSERA_TESTING_EVALUATOR_MODULES_SMALL_MODULES_H_

#include <string>
#include <vector>

namespace tessera::testing::evaluator {

struct SmallModuleText {
  const char* name;
  const char* entry;  // the instructions of the entry computation
};

std::vector<SmallModuleText> SmallModules();

// With the computations that all of them may call: add, maximum, larger, less, pair, plus_one, ..
std::string TextOf(const SmallModuleText& module);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_MODULES_SMALL_MODULES_H_
