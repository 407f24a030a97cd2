#include "tessera/projection/cost/memory/profile_picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/projection/core/checked.h"
#include "tessera/projection/draw/svg_writer.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMaxBars = 60, kBar = 50, kBarHeight = 200;
constexpr size_t kMaxBuffers = 10;

struct Bar {
  int64_t first, last;  // steps
  int64_t at;           // the one with most bytes
};

std::vector<Bar> BarsOf(const MemoryProfile& profile) {
  std::vector<Bar> bars;
  const int64_t steps = static_cast<int64_t>(profile.live.size());
  const int64_t each = std::max<int64_t>(CeilDiv(steps, kMaxBars), 1);
  for (int64_t first = 0; first < steps; first += each) {
    const auto begin = profile.live.begin() + first;
    const auto end = profile.live.begin() + std::min(first + each, steps);
    bars.push_back({first, std::min(first + each, steps) - 1,
                    std::max_element(begin, end) - profile.live.begin()});
  }
  return bars;
}

constexpr char kStyle[] =
    "<defs><pattern id=\"hatch\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M0 4L4 0\" stroke=\"#222\"/></pattern></defs>\n"
    "<style>text{font-family:monospace;font-size:13px}rect{stroke:#fff}.rest{fill:#aeb6bf}"
    ".padding{fill:url(#hatch)}"
    ".o0{fill:#7fb3d5}.o1{fill:#f5b7b1}.o2{fill:#a9dfbf}.o3{fill:#f9e79f}.o4{fill:#d2b4de}"
    ".o5{fill:#edbb99}.o6{fill:#76d7c4}.o7{fill:#f0b27a}.o8{fill:#85929e}.o9{fill:#82e0aa}"
    "</style>\n";

// The largest buffers alive at the peak.
std::vector<const Buffer*> LargestAtPeak(const MemoryProfile& profile) {
  std::vector<const Buffer*> alive;
  for (const Buffer& b : profile.buffers) {
    if (b.first <= profile.peak_at && profile.peak_at <= b.last) alive.push_back(&b);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
  alive.resize(std::min(alive.size(), kMaxBuffers));
  return alive;
}

}  // namespace

std::string DrawProfile(const MemoryProfile& profile, absl::Span<const std::string> names) {
  std::string out;
  for (const Bar& bar : BarsOf(profile)) {
    const int64_t bytes = profile.live[static_cast<size_t>(bar.at)];
    const int64_t length = profile.peak > 0
                               ? static_cast<int64_t>(static_cast<double>(bytes) * kBar /
                                                      static_cast<double>(profile.peak))
                               : 0;
    absl::StrAppendFormat(&out, "%12d %s%s %s\n", bytes,
                          std::string(static_cast<size_t>(length), '#'),
                          bytes == profile.peak ? "!" : "", names[static_cast<size_t>(bar.at)]);
  }
  return out;
}

std::string SvgOfProfile(const MemoryProfile& profile, absl::Span<const std::string> names,
                         absl::Span<const int64_t> padding) {
  SvgWriter svg;
  svg.Line(absl::StrCat("bytes alive at each step, at most ", profile.peak));
  const std::vector<const Buffer*> large = LargestAtPeak(profile);
  const auto height = [&](int64_t bytes) {
    return profile.peak > 0 ? static_cast<int64_t>(static_cast<double>(bytes) * kBarHeight /
                                                   static_cast<double>(profile.peak))
                            : 0;
  };
  int64_t x = SvgWriter::kMargin;
  for (const Bar& bar : BarsOf(profile)) {
    int64_t rest = profile.live[static_cast<size_t>(bar.at)], top = svg.y + kBarHeight;
    const std::string& name = names[static_cast<size_t>(bar.at)];
    for (size_t i = 0; i < large.size(); ++i) {
      if (large[i]->first > bar.at || bar.at > large[i]->last) continue;
      rest -= large[i]->bytes;
      top -= height(large[i]->bytes);
      const auto buffer = static_cast<size_t>(large[i] - profile.buffers.data());
      const int64_t unused = buffer < padding.size() ? padding[buffer] : 0;
      svg.Rect(absl::StrCat("o", i), x, top, 8, height(large[i]->bytes),
               absl::StrCat(name, ": ", large[i]->name, ", ", large[i]->bytes, " bytes"));
      if (unused > 0)
        svg.Rect("padding", x, top, 8, height(unused),
                 absl::StrCat(large[i]->name, ": ", unused, " bytes of padding"));
    }
    if (rest > 0)
      svg.Rect("rest", x, top - height(rest), 8, height(rest),
               absl::StrCat(name, ": others, ", rest, " bytes"));
    x += 9;
  }
  svg.y += kBarHeight + SvgWriter::kMargin;
  for (const Buffer* buffer : large)
    svg.Line(absl::StrCat(buffer->name, "  ", buffer->bytes, " bytes"));
  return svg.ToString(kStyle);
}

}  // namespace tessera::projection
