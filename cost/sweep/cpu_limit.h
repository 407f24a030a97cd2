// The CPUs that this process may use: its affinity, and Linux control groups, version 1 and 2.
//
//   CpuLimit();        // 2 for `docker run --cpus=1.5`; 0: no limit
//   CpusOfAffinity();  // 3 under `taskset -c 0-2`, `--cpuset-cpus=0-2` or a batch system
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

// Of the calling thread; 0 where the system does not say. std::thread::hardware_concurrency() counts
// all CPUs of the machine with some releases of glibc.
int CpusOfAffinity();

}  // namespace tessera::cost

#endif  // TESSERA_COST_SWEEP_CPU_LIMIT_H_
