#include "tessera/pipeline/command_line/process/large_stack.h"

#include <pthread.h>

#include <exception>
#include <utility>

namespace tessera::pipeline {
namespace {

constexpr size_t kStackBytes = size_t{64} << 20;

struct Work {
  std::function<void()> run;
  std::exception_ptr thrown;
};

void* Run(void* argument) {
  auto* const work = static_cast<Work*>(argument);
  try {
    work->run();
  } catch (...) {
    work->thrown = std::current_exception();
  }
  return nullptr;
}

bool RunOnThread(Work* work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread;
  const bool runs = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                    pthread_create(&thread, &attributes, Run, work) == 0;
  pthread_attr_destroy(&attributes);
  if (runs) pthread_join(thread, nullptr);
  return runs;
}

}  // namespace

void OnLargeStack(std::function<void()> work) {
  Work on_thread = {std::move(work), nullptr};
  if (!RunOnThread(&on_thread)) on_thread.run();
  if (on_thread.thrown != nullptr) std::rethrow_exception(on_thread.thrown);
}

}  // namespace tessera::pipeline
