// Two regular layouts make pieces, each piece a step (pieces.h, nest.h, step.h), once stars are
// gone (join.h). Everything else goes through the walker. Cost of making a plan: the two index
// maps, then a few loops a piece.
//
// With an executor the tiles with padding are filled first, by all tasks. Then every task does its
// part of every step: steps write different elements, so their order does not matter.

#include "tessera/layout/relayout/plan.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"
#include "tessera/layout/regular_form.h"
#include "tessera/layout/relayout/kernels/bits.h"
#include "tessera/layout/relayout/plan/join.h"
#include "tessera/layout/relayout/plan/padded_slots.h"
#include "tessera/layout/relayout/plan/pieces.h"
#include "tessera/layout/relayout/plan/request.h"
#include "tessera/layout/relayout/run/fill.h"
#include "tessera/layout/relayout/run/step.h"
#include "tessera/layout/relayout/run/walker.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout::relayout {
namespace {

constexpr int64_t kLeastTaskBytes = int64_t{1} << 20;

int64_t BytesOf(int64_t slots, int64_t bits) { return (slots * bits + 7) / 8; }

// Counted in bits, ready for CleanUp.
Nest InBits(Nest nest, int64_t src_bits, int64_t dst_bits) {
  nest.src *= src_bits;
  nest.dst *= dst_bits;
  nest.src_bits = src_bits;
  nest.dst_bits = dst_bits;
  for (Loop& loop : nest.loops) loop = {loop.extent, loop.src * src_bits, loop.dst * dst_bits};
  return nest;
}

std::optional<std::vector<Nest>> NestsOf(const Request& request) {
  if (request.elements == 1) {  // however odd its tiles
    const Sizes64 origin(request.perm.size(), 0);
    Nest nest;
    nest.src = request.src_map.OffsetOf(origin);
    nest.dst = request.dst_map.OffsetOf(origin);
    return std::vector<Nest>{nest};
  }
  const auto src = RegularFormOf(request.src, request.src_map.tiling());
  const auto dst = RegularFormOf(request.dst, request.dst_map.tiling());
  if (src.has_value() && dst.has_value()) {
    return PiecesOf({request.src.dims(), request.perm, &*src, &*dst});
  }
  const std::optional<Request> joined = JoinStars(request);
  return joined.has_value() ? NestsOf(*joined) : std::nullopt;
}

// Nothing if the layouts have no common loops.
std::optional<std::vector<Step>> StepsOf(const Request& request) {
  const auto pieces = NestsOf(request);
  if (!pieces.has_value()) return std::nullopt;
  std::vector<Step> steps;
  steps.reserve(pieces->size());
  const int64_t src_bytes = BytesOf(request.src_map.total(), request.src_bits);
  for (const Nest& piece : *pieces) {
    Nest nest = InBits(piece, request.src_bits, request.dst_bits);
    CleanUp(&nest);
    steps.push_back(MakeStep(nest, src_bytes));
  }
  return steps;
}

WalkedSide SideOf(const Shape& array, const IndexMap& map, int64_t bits) {
  WalkedSide side{map, {}, bits};
  for (int64_t i = 0; i < array.rank(); ++i) side.order.push_back(array.layout().Major(i));
  return side;
}

}  // namespace

struct Plan::Data {
  Data(Request checked, Options chosen) : request(std::move(checked)), options(std::move(chosen)) {}

  Request request;
  Options options;
  std::vector<Step> steps;
  std::optional<Walker> walker;
  PaddedSlots padded;

  int64_t DstBytes() const { return BytesOf(request.dst_map.total(), request.dst_bits); }
  bool Fills() const {
    return options.fill != Fill::kLeave && request.dst_map.total() > request.elements;
  }
  bool Streams(StepKind kind) const {
    if (options.streaming != Streaming::kAuto) return options.streaming == Streaming::kAlways;
    const int64_t bytes = BytesOf(request.elements, request.dst_bits);
    return bytes >= (kind == StepKind::kTranspose ? kStreamedTransposition : kStreamedCopy);
  }
  int Tasks() const;
  void FillPart(int part, int parts, uint8_t* dst) const;
  void CopyPart(int part, int parts, const uint8_t* src, uint8_t* dst) const;
};

int Plan::Data::Tasks() const {
  if (walker.has_value()) return 1;
  const int64_t tasks = DstBytes() / kLeastTaskBytes;
  return static_cast<int>(std::clamp<int64_t>(tasks, 1, std::max(options.threads, 1)));
}

void Plan::Data::FillPart(int part, int parts, uint8_t* dst) const {
  const int64_t total = request.dst_map.total();
  const auto begin = [&](int k) { return k == parts ? total : total / 64 * k / parts * 64; };
  const uint64_t value = options.fill == Fill::kZero ? 0 : options.fill_value;
  padded.ForEach(begin(part), begin(part + 1), [&](int64_t first, int64_t last) {
    FillSlots(value, request.dst_bits, first, last, dst);
  });
}

void Plan::Data::CopyPart(int part, int parts, const uint8_t* src, uint8_t* dst) const {
  if (walker.has_value()) walker->Run(src, dst);
  RunMode mode{&KernelsOfThisCpu(), false, part, parts};
  bool streamed = false;
  for (const Step& step : steps) {
    mode.stream = Streams(step.kind);
    streamed = streamed || mode.stream;
    RunStep(step, mode, src, dst);
  }
  if (streamed) mode.kernels->fence();
}

absl::StatusOr<Plan> Plan::Create(const Shape& src, const Shape& dst, const Options& options) {
  TESSERA_ASSIGN_OR_RETURN(Request request, CheckRequest(src, dst, options));
  auto data = std::make_shared<Data>(std::move(request), options);
  if (data->Fills()) {
    const IndexMap& map = data->request.dst_map;
    data->padded = PaddedSlots::Of(map.tiling(), map.total(), data->request.dst_bits);
  }
  if (data->request.elements == 0) return Plan(std::move(data));
  if (auto steps = StepsOf(data->request); steps.has_value()) {
    data->steps = *std::move(steps);
  } else {
    const Request& r = data->request;
    data->walker.emplace(SideOf(r.src, r.src_map, r.src_bits), SideOf(r.dst, r.dst_map, r.dst_bits),
                         r.perm);
  }
  return Plan(std::move(data));
}

void Plan::Run(const void* src, void* dst, const Executor& executor) const {
  const auto* const from = static_cast<const uint8_t*>(src);
  auto* const to = static_cast<uint8_t*>(dst);
  const int tasks = executor == nullptr ? 1 : data_->Tasks();
  const auto run = [&](const std::function<void(int)>& task) {
    tasks == 1 ? task(0) : executor(tasks, task);
  };
  if (data_->request.elements == 0 && !data_->Fills()) return;
  if (data_->Fills()) run([&](int part) { data_->FillPart(part, tasks, to); });
  run([&](int part) { data_->CopyPart(part, tasks, from, to); });
  const int64_t used = data_->request.dst_map.total() * data_->request.dst_bits;
  ClearBits(to, used, data_->DstBytes() * 8 - used);
}

absl::Status Plan::Run(absl::Span<const uint8_t> src, absl::Span<uint8_t> dst,
                       const Executor& executor) const {
  const auto is_short = [](size_t held, int64_t needed) {
    return static_cast<int64_t>(held) < needed;
  };
  if (is_short(src.size(), src_bytes()) || is_short(dst.size(), dst_bytes())) {
    return MakeError("R_BUFFER",
                     absl::StrCat("buffers of ", src.size(), " and ", dst.size(),
                                  " bytes: expected ", src_bytes(), " and ", dst_bytes()));
  }
  Run(src.data(), dst.data(), executor);
  return absl::OkStatus();
}

int64_t Plan::src_bytes() const {
  return BytesOf(data_->request.src_map.total(), data_->request.src_bits);
}
int64_t Plan::dst_bytes() const { return data_->DstBytes(); }
int64_t Plan::data_bytes() const {
  return BytesOf(data_->request.elements, data_->request.dst_bits);
}

std::vector<PlanPiece> Plan::Pieces() const {
  std::vector<PlanPiece> pieces;
  if (data_->walker.has_value()) {
    pieces.push_back({data_bytes(), "run by run through both index maps"});
  }
  for (const Step& step : data_->steps) {
    const char* const stores = data_->Streams(step.kind) ? "; around the caches" : "";
    pieces.push_back({step.Bytes(), absl::StrCat(step.ToString(), stores)});
  }
  return pieces;
}

std::string Plan::Explain() const {
  const Request& r = data_->request;
  std::string out =
      absl::StrCat("relayout ", ShapeToString(r.src), " -> ", ShapeToString(r.dst), "\n  moves ",
                   data_bytes(), " bytes, from ", src_bytes(), " into ", dst_bytes(), "\n");
  if (data_->Fills()) {
    absl::StrAppend(&out, "  fills the tiles with padding first, ",
                    BytesOf(data_->padded.slots(), r.dst_bits), " bytes\n");
  }
  for (const PlanPiece& piece : Pieces()) {
    absl::StrAppend(&out, "  piece of ", piece.bytes, " bytes: ", piece.work, "\n");
  }
  return out;
}

absl::Status Relayout(const Shape& from, const Shape& to, absl::Span<const uint8_t> src,
                      absl::Span<uint8_t> dst, const Options& options) {
  TESSERA_ASSIGN_OR_RETURN(const Plan plan, Plan::Create(from, to, options));
  return plan.Run(src, dst);
}

}  // namespace tessera::layout::relayout
