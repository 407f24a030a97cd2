// Copies an array from one layout to another: tiles of any depth on both sides, packed elements, a
// transposition on the way.
//
//   StatusOr<Plan> plan = Plan::Create(*ParseShape("f32[129,300]"),
//                                      *ParseShape("f32[129,300]{1,0:T(8,128)}"));
//   absl::Status s = plan->Run(linear, absl::MakeSpan(tiled));   // 154,800 bytes into 208,896
//   std::cout << plan->Explain();      // pieces, loops, kernels, bytes
//
// A plan is made once and run often, by any number of threads at once. Both buffers start with the
// data (after a prefix M), may have any alignment, and must not overlap. Padding of the source is
// never copied; padding of the destination is left alone or filled.
//
// Errors of Create, the first that holds in this order (ErrorCode of layout/error.h): R_ARRAY a
// side is not an array or buffer; R_TYPE the element types differ; R_DIMS perm is not a
// permutation, or the sizes differ under it; R_UNBOUNDED; the V_ code of an invalid layout, source
// first; R_BITS the elements differ in bits, or have neither 1, 2, 4 nor a multiple of 8. Memory
// space, splits and prefix do not matter.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

// A part of the work.
struct PlanPiece {
  int64_t bytes = 0;  // written
  std::string work;   // kernel and loops
};

class Plan {
 public:
  static absl::StatusOr<Plan> Create(const Shape& src, const Shape& dst,
                                     const Options& options = {});

  // Error R_BUFFER if they hold fewer than src_bytes() and dst_bytes(). Without an executor
  // everything is done here, whatever Options::threads says.
  absl::Status Run(absl::Span<const uint8_t> src, absl::Span<uint8_t> dst,
                   const Executor& executor = nullptr) const;
  // The same for a caller who knows that they do.
  void Run(const void* src, void* dst, const Executor& executor = nullptr) const;

  // Several lines: the sizes, then each piece with its loops and its kernel.
  std::string Explain() const;
  // The pieces alone, in the order in which they run.
  std::vector<PlanPiece> Pieces() const;

  int64_t src_bytes() const;  // with padding
  int64_t dst_bytes() const;
  int64_t data_bytes() const;  // of the elements alone, as they lie in the destination

 private:
  struct Data;

  explicit Plan(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

// Makes a plan and runs it once.
absl::Status Relayout(const Shape& from, const Shape& to, absl::Span<const uint8_t> src,
                      absl::Span<uint8_t> dst, const Options& options = {});

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_H_
