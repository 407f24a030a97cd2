#include "tessera/cost/sweep/cpu_limit.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tessera::cost {
namespace {

// The first two words of a file, "" for those that are not there.
struct Words {
  std::string first, second;
};
Words ReadWords(const std::string& path) {
  Words words;
  std::ifstream(path) >> words.first >> words.second;
  return words;
}

// quota / period, rounded up; 0 if one of them is no positive number: "max", -1, no file.
int64_t Cpus(absl::string_view quota_text, absl::string_view period_text) {
  int64_t quota = 0, period = 0;
  if (!absl::SimpleAtoi(quota_text, &quota) || !absl::SimpleAtoi(period_text, &period)) return 0;
  return quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
}

int64_t CpusOfVersion2(const std::string& folder) {
  const Words words = ReadWords(absl::StrCat(folder, "/cpu.max"));
  return Cpus(words.first, words.second);
}

int64_t CpusOfVersion1(const std::string& folder) {
  return Cpus(ReadWords(absl::StrCat(folder, "/cpu.cfs_quota_us")).first,
              ReadWords(absl::StrCat(folder, "/cpu.cfs_period_us")).first);
}

// Of the group and of all above it. A container may see the folder of its own group as the root.
template <typename CpusOf>
int64_t LeastUpwards(const std::string& root, absl::string_view group, CpusOf&& cpus_of) {
  int64_t least = 0;
  while (true) {
    const int64_t cpus = cpus_of(absl::StrCat(root, group));
    if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

int CpuLimit(const std::string& groups, const std::string& root) {
  std::ifstream lines(groups);
  int64_t least = 0;
  for (std::string line; std::getline(lines, line);) {  // "0::/a" or "4:cpu,cpuacct:/a"
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    int64_t cpus = 0;
    if (parts[1].empty()) {
      cpus = LeastUpwards(root, parts[2], CpusOfVersion2);
    } else if (absl::c_linear_search(std::vector<std::string>(absl::StrSplit(parts[1], ',')),
                                     "cpu")) {
      cpus = LeastUpwards(absl::StrCat(root, "/", parts[1]), parts[2], CpusOfVersion1);
      if (cpus == 0) cpus = LeastUpwards(absl::StrCat(root, "/cpu"), parts[2], CpusOfVersion1);
    }
    if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
  }
  return static_cast<int>(std::min<int64_t>(least, 1 << 20));
}

#ifdef __linux__
int CpusOfAffinity() {
  cpu_set_t cpus;  // of 1,024 CPUs: a larger machine is an error, and is left to others
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
}
#else
int CpusOfAffinity() { return 0; }
#endif

}  // namespace tessera::cost
