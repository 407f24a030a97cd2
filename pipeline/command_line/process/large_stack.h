// Work that goes as deep as computations may call each other (hlo/call_limits.h).
//
//   OnLargeStack([&] { result = Follow(module); });   // a thousand calls deep
//
// It runs on a thread of its own with 64 MiB of stack, which the kernel gives page by page; where
// there is no room for that, on the stack of the caller. Its exceptions are thrown again. Tested by
// testing/hostile/verbs_depth_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_LARGE_STACK_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_LARGE_STACK_H_

#include <functional>

namespace tessera::pipeline {

void OnLargeStack(std::function<void()> work);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_LARGE_STACK_H_
