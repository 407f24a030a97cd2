// A target: the chip and the topology that a program is compiled for.
//
//   absl::StatusOr<Target> t = ParseTarget("h100:1x1x8");
//   t->chip->platform;     // Platform::kGpu
//   t->topology;           // {1, 1, 8}: NVLink domains, hosts, devices of a host
//   t->num_devices();      // 8
//
//   ParseTarget("h100:8")          // one host: {1, 1, 8}
//   ParseTarget("tpu-v5e:4x4")     // {4, 4}: the sides of the torus
//   ParseTarget("tpu-v5e:4x4:slices=2")   // two such tori, joined by the network of the data center
//   ParseTarget("cpu")             // no topology: any number of devices
//
// Chips are rows of a table (chips.cc). Tested by target_test.cc.

#ifndef TESSERA_TARGET_TARGET_H_
#define TESSERA_TARGET_TARGET_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::target {

enum class Platform : uint8_t { kCpu, kGpu, kTpu };

// Hosts of at most eight GPUs, larger ones, and those that one NVLink domain joins.
enum class Hosts : uint8_t { kOfEight, kLarger, kJoined };

struct Chip {
  absl::string_view name;  // as the user writes it
  Platform platform = Platform::kCpu;
  // Of a GPU: the compute capability times ten, 90 for 9.0.
  int compute_capability = 0;
  // Of a GPU.
  Hosts hosts = Hosts::kOfEight;
  // Of a GPU: its streaming multiprocessors. Of a TPU: the cores that are one JAX device.
  int64_t cores = 0;
  // Of a TPU: the JAX devices of a chip.
  int64_t chip_devices = 1;
  // Predictions were compared with the compiler for this chip.
  bool is_compared = false;
  // Of a TPU: the sides of its torus.
  int torus_sides = 0;
  // Of a TPU: the table of a result that is a tuple is a multiple of so many bytes.
  int64_t table_granule = 0;
  // Of a TPU: the part of its fast memory that compilers fill with arrays.
  int64_t fast_bytes = 0;
  // Of a TPU: its compiler keeps what is divided for several products, such as a softmax.
  bool keeps_quotients = false;
  // Of a TPU: rows of 2,048 scores and more are computed by the kernel of their exponentials, as shorter ones are.
  bool joins_long_rows = false;
  // Of a TPU: one kernel writes the gradient of scores that is rounded for two products.
  bool writes_score_gradients = false;
  // Of a TPU: gathers of single elements run on cores of their own.
  bool has_sparse_cores = false;
  // Of a TPU: large all-gathers are asynchronous, and kernels run meanwhile.
  bool hides_gathers = false;
  // Of a TPU: collective-permutes are asynchronous on at most so many devices.
  int64_t most_hiding_permutes = std::numeric_limits<int64_t>::max();
};

// " on h100; b200 was not compared": after figures of how often a prediction is right. Empty for a chip that was.
std::string NotComparedText(const Chip& chip);

struct Target {
  const Chip* chip = nullptr;     // a row of Chips()
  std::vector<int64_t> topology;  // empty for a CPU
  // Of a TPU: tori of that topology. Their devices are numbered slice by slice.
  int64_t slices = 1;

  // JAX devices of all slices. 0 where the target does not say.
  int64_t num_devices() const;
  int64_t slice_devices() const { return num_devices() / slices; }
  // "1x1x8", "4x4:slices=2".
  std::string TopologyText() const;
  // "h100:1x1x8".
  std::string ToString() const;
};

absl::Span<const Chip> Chips();

// InvalidArgument, which begins with --target=TEXT, for a chip that is not known (with the names of
// those that are) and a topology that the chip cannot have.
absl::StatusOr<Target> ParseTarget(absl::string_view text);

// InvalidArgument for a target of another number of devices: "--target=h100:8 has 8 devices, the module runs on 4",
// where `whose` is "the module runs on". Of a TPU it says with how many such slices it fits. A target that does not say its number fits all.
absl::Status CheckNumDevices(const Target& target, int64_t devices, absl::string_view whose);

// The same of a finished module: for several slices, the compiler of TPUs finishes the program of one.
absl::Status CheckCompiledDevices(const Target& target, int64_t devices, absl::string_view whose);

// The chip of a target with a topology or without one, for answers that no topology changes. Errors as of ParseTarget().
absl::StatusOr<const Chip*> ParseChip(absl::string_view text);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TARGET_H_
