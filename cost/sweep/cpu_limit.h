// The CPUs that a container leaves to this process: Linux control groups, version 1 and 2.
//
//   CpuLimit();        // 2 for `docker run --cpus=1.5`; 0: no limit
//
// A group may use quota / period CPUs, and so may each group above it; the least counts, rounded up.
// Tested by cpu_limit_test.cc.

#ifndef TESSERA_COST_SWEEP_CPU_LIMIT_H_
#define TESSERA_COST_SWEEP_CPU_LIMIT_H_

#include <string>

namespace tessera::cost {

// `groups`: the groups of the process, as in /proc/self/cgroup; `root`: where they are mounted.
int CpuLimit(const std::string& groups = "/proc/self/cgroup",
             const std::string& root = "/sys/fs/cgroup");

}  // namespace tessera::cost

#endif  // TESSERA_COST_SWEEP_CPU_LIMIT_H_
