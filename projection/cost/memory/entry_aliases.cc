#include "tessera/projection/cost/memory/entry_aliases.h"

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using layout::Shape;
using Path = std::vector<int64_t>;

// The arrays of some shapes one after another.
class Arrays {
 public:
  void Add(const Shape& shape) {
    begins_.push_back(arrays_.size());
    shapes_.push_back(&shape);
    for (const Shape* array : ArrayLeaves(shape)) arrays_.push_back(array);
  }

  // Number of the array at `path` of the shape that was added as number `shape`; -1: there is none.
  int At(int64_t shape, const Path& path) {
    if (shape < 0 || static_cast<size_t>(shape) >= shapes_.size()) return -1;
    const Shape* at = shapes_[static_cast<size_t>(shape)];
    int number = static_cast<int>(begins_[static_cast<size_t>(shape)]);
    for (const int64_t index : path) {
      if (!at->is_tuple() || index < 0 || static_cast<size_t>(index) >= at->tuple_elements().size())
        return -1;
      number += StartsOf(*at)[static_cast<size_t>(index)];
      at = &at->tuple_elements()[static_cast<size_t>(index)];
    }
    return at->is_array() ? number : -1;
  }

  size_t size() const { return arrays_.size(); }
  const Shape& operator[](size_t array) const { return *arrays_[array]; }

 private:
  // A wide tuple is counted once.
  const std::vector<int>& StartsOf(const Shape& tuple) {
    std::vector<int>& starts = starts_[&tuple];
    if (starts.empty()) starts = ArrayStarts(tuple);
    return starts;
  }

  std::vector<const Shape*> shapes_, arrays_;
  std::vector<size_t> begins_;  // by shape, of its arrays
  absl::flat_hash_map<const Shape*, std::vector<int>> starts_;
};

class Pairing {
 public:
  Pairing(const hlo::Module& module, BytesOfArray bytes) : module_(module), bytes_(bytes) {
    results_.Add(module.shape(module.entry().root));
    for (hlo::InstructionId id : module.entry().parameters) parameters_.Add(module.shape(id));
    is_placed_.resize(results_.size());
    is_taken_.resize(parameters_.size());
  }

  absl::StatusOr<std::vector<std::pair<int, int>>> Run() {
    for (const hlo::AliasEntry& alias : module_.header().input_output_alias) {
      const int result = results_.At(0, alias.output_index);
      const int parameter = parameters_.At(alias.parameter_number, alias.parameter_index);
      if (result < 0 || parameter < 0) return NotThere("input_output_alias");
      Pair(result, parameter);
    }
    TESSERA_RETURN_IF_ERROR(PlaceDonors());
    return std::move(pairs_);
  }

 private:
  static absl::Status NotThere(const char* attribute) {
    return MakeError(ErrorCode::kBadDim, absl::StrCat(attribute, " names what is not there"));
  }

  void Pair(int result, int parameter) {
    is_placed_[static_cast<size_t>(result)] = is_taken_[static_cast<size_t>(parameter)] = true;
    pairs_.emplace_back(result, parameter);
  }

  absl::Status PlaceDonors() {
    if (module_.header().buffer_donor.empty()) return absl::OkStatus();
    absl::flat_hash_map<int64_t, std::vector<int>> free;  // by bytes, the last one first
    for (size_t k = results_.size(); k-- > 0;) {
      TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, bytes_(results_[k]));
      if (!is_placed_[k]) free[bytes].push_back(static_cast<int>(k));
    }
    for (const hlo::BufferDonor& donor : module_.header().buffer_donor) {
      const int parameter = parameters_.At(donor.parameter_number, donor.parameter_index);
      if (parameter < 0) return NotThere("buffer_donor");
      TESSERA_ASSIGN_OR_RETURN(const int64_t bytes,
                               bytes_(parameters_[static_cast<size_t>(parameter)]));
      std::vector<int>& results = free[bytes];
      if (is_taken_[static_cast<size_t>(parameter)] || results.empty()) continue;
      Pair(results.back(), parameter);
      results.pop_back();
    }
    return absl::OkStatus();
  }

  const hlo::Module& module_;
  const BytesOfArray bytes_;
  Arrays results_, parameters_;
  std::vector<bool> is_placed_, is_taken_;  // by array
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace

absl::StatusOr<std::vector<std::pair<int, int>>> EntryAliases(const hlo::Module& module,
                                                              BytesOfArray bytes) {
  return Pairing(module, bytes).Run();
}

absl::StatusOr<std::vector<std::pair<int, int>>> EntryAliases(const hlo::Module& module) {
  return EntryAliases(module, [](const Shape& array) { return BytesOf(array, CostMode::kExact); });
}

}  // namespace tessera::projection
