#include "tessera/target/buffers/memory_peaks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

using Changes = std::map<int64_t, int64_t>;  // of bytes, by step

void AddChanges(const Spans& spans, int64_t bytes, Changes* changes) {
  for (const auto& [first, last] : spans) {
    (*changes)[first] += bytes;
    (*changes)[last + 1] -= bytes;
  }
}

struct Peak {
  int64_t bytes = 0, step = -1;
};

Peak PeakOf(const Changes& changes) {
  Peak peak;
  int64_t alive = 0;
  for (const auto& [step, change] : changes) {
    alive += change;
    if (alive > peak.bytes) peak = {alive, step};
  }
  return peak;
}

bool IsNeededAt(const Spans& spans, int64_t step) {
  return absl::c_any_of(
      spans, [step](const auto& span) { return span.first <= step && step <= span.second; });
}

class Summation {
 public:
  Summation(const std::vector<hlo::InstructionId>& steps, const Needs& needs, DeviceBuffers* found)
      : steps_(steps), needs_(needs), found_(found) {}

  absl::Status Run() {
    std::map<int64_t, std::vector<size_t>> by_space = {{kMainMemory, {}}};
    for (size_t k = 0; k < found_->buffers.size(); ++k) {
      if (found_->buffers[k].instruction != hlo::kNoId) {
        by_space[found_->buffers[k].space].push_back(k);
      }
    }
    for (const auto& [space, buffers] : by_space) {
      if (!Sum(space, buffers)) return TooLarge();
    }
    return absl::OkStatus();
  }

 private:
  bool IsTemporary(size_t k) const { return found_->buffers[k].kind == BufferKind::kTemporary; }

  // Whether the bytes fit in 64 bits.
  bool Sum(int64_t number, const std::vector<size_t>& buffers) {
    Checked sums[4] = {0, 0, 0, 0};  // by kind
    std::vector<size_t> temporaries;
    for (const size_t k : buffers) {
      sums[static_cast<size_t>(found_->buffers[k].kind)] += found_->buffers[k].bytes;
      if (IsTemporary(k) && !needs_.buffers[k].empty()) temporaries.push_back(k);
    }
    if (!absl::c_all_of(sums, [](const Checked& sum) { return sum.ok(); })) return false;
    const auto sum = [&](BufferKind kind) { return sums[static_cast<size_t>(kind)].value(); };
    MemorySpace space;
    space.space = number;
    space.arguments = sum(BufferKind::kArgument);
    space.results = sum(BufferKind::kResult);
    space.constants = sum(BufferKind::kConstant);
    AddPeak(temporaries, &space);
    found_->spaces.push_back(std::move(space));
    return true;
  }

  void AddPeak(const std::vector<size_t>& temporaries, MemorySpace* space) const {
    const Peak peak = PeakOf(space->space == kVmem ? VmemChanges() : ChangesOf(temporaries));
    if (peak.step < 0) return;
    space->peak = space->set_aside = peak.bytes;
    space->peak_at = steps_[std::min<size_t>(peak.step, steps_.size() - 1)];
    for (const size_t k : temporaries) {
      if (IsNeededAt(needs_.buffers[k], peak.step)) space->at_peak.push_back(k);
    }
    absl::c_stable_sort(space->at_peak, [&](size_t a, size_t b) {
      return found_->buffers[a].bytes > found_->buffers[b].bytes;
    });
  }

  Changes ChangesOf(const std::vector<size_t>& temporaries) const {
    Changes changes;
    for (const size_t k : temporaries) {
      AddChanges(needs_.buffers[k], found_->buffers[k].bytes, &changes);
    }
    return changes;
  }

  Changes VmemChanges() const {
    Changes changes;
    for (const VmemArray& array : needs_.vmem) {
      if (IsTemporary(array.buffer)) AddChanges(array.spans, array.bytes, &changes);
    }
    return changes;
  }

  const std::vector<hlo::InstructionId>& steps_;
  const Needs& needs_;
  DeviceBuffers* const found_;
};

}  // namespace

absl::Status TooLarge() { return absl::OutOfRangeError("the bytes of a device exceed 64 bits"); }

absl::Status SumSpaces(const std::vector<hlo::InstructionId>& steps, const Needs& needs,
                       DeviceBuffers* found) {
  return Summation(steps, needs, found).Run();
}

}  // namespace tessera::target
