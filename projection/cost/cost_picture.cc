#include "tessera/projection/cost/cost_picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/projection/checked.h"
#include "tessera/projection/svg_writer.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMostDevices = 16, kMostBars = 60, kBar = 50, kBarHeight = 200;
constexpr size_t kMostBuffers = 10;

struct Bar {
  int64_t first, last;  // steps
  int64_t at;           // the one with most bytes
};

std::vector<Bar> BarsOf(const MemoryProfile& profile) {
  std::vector<Bar> bars;
  const int64_t steps = static_cast<int64_t>(profile.live.size());
  const int64_t each = std::max<int64_t>(CeilDiv(steps, kMostBars), 1);
  for (int64_t first = 0; first < steps; first += each) {
    const auto begin = profile.live.begin() + first;
    const auto end = profile.live.begin() + std::min(first + each, steps);
    bars.push_back({first, std::min(first + each, steps) - 1,
                    std::max_element(begin, end) - profile.live.begin()});
  }
  return bars;
}

constexpr char kStyle[] =
    "<style>text{font-family:monospace;font-size:13px}rect{stroke:#fff}.most{fill:#c0392b}"
    ".t0{fill:#f4f4f4}.t1{fill:#d6eaf8}.t2{fill:#85c1e9}.t3{fill:#2e86c1}.rest{fill:#aeb6bf}"
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
  alive.resize(std::min(alive.size(), kMostBuffers));
  return alive;
}

}  // namespace

std::string DrawTraffic(absl::Span<const int64_t> volume, int64_t devices) {
  const int64_t most = volume.empty() ? 0 : *std::max_element(volume.begin(), volume.end());
  std::string out;
  if (devices <= kMostDevices) {
    out = "from\\to";
    for (int64_t to = 0; to < devices; ++to) absl::StrAppendFormat(&out, "%10d", to);
    for (int64_t from = 0; from < devices; ++from) {
      absl::StrAppendFormat(&out, "\n%7d", from);
      for (int64_t to = 0; to < devices; ++to) {
        const int64_t bytes = volume[static_cast<size_t>(from * devices + to)];
        absl::StrAppendFormat(&out, "%9d%c", bytes, bytes == most && most > 0 ? '!' : ' ');
      }
    }
    return out + "\n";
  }
  std::vector<int64_t> order;
  for (int64_t i = 0; i < static_cast<int64_t>(volume.size()); ++i) {
    if (volume[static_cast<size_t>(i)] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return volume[static_cast<size_t>(a)] > volume[static_cast<size_t>(b)];
  });
  for (size_t i = 0; i < order.size() && i < 10; ++i) {
    absl::StrAppend(&out, "d", order[i] / devices, " -> d", order[i] % devices, "  ",
                    volume[static_cast<size_t>(order[i])], " bytes\n");
  }
  return absl::StrCat(out, order.size(), " pairs exchange data\n");
}

std::string DrawLinks(const RoutedTraffic& traffic) {
  std::vector<LinkBytes> links = traffic.links;
  std::stable_sort(links.begin(), links.end(),
                   [](const LinkBytes& a, const LinkBytes& b) { return a.bytes > b.bytes; });
  std::string out;
  for (const LinkBytes& link : links) {
    absl::StrAppend(&out, "d", link.from, " -> d", link.to, "  ", link.bytes, " bytes",
                    link.bytes == traffic.busiest_link_bytes ? " !" : "", "\n");
  }
  return out;
}

std::string SvgOfTraffic(absl::Span<const int64_t> volume, int64_t devices) {
  SvgWriter svg;
  const int64_t most = volume.empty() ? 0 : *std::max_element(volume.begin(), volume.end());
  svg.Line(absl::StrCat("bytes from device (rows) to device (columns), at most ", most));
  for (int64_t from = 0; from < devices; ++from) {
    for (int64_t to = 0; to < devices; ++to) {
      const int64_t bytes = volume[static_cast<size_t>(from * devices + to)];
      const int64_t tone = most == 0 ? 0 : CeilDiv(bytes, CeilDiv(most, 3));
      svg.Rect(bytes == most && most > 0 ? "most" : absl::StrCat("t", tone),
               SvgWriter::kMargin + to * SvgWriter::kPitch, svg.y + from * SvgWriter::kPitch,
               SvgWriter::kSide, SvgWriter::kSide,
               absl::StrCat("d", from, " to d", to, ": ", bytes, " bytes"));
    }
  }
  svg.y += devices * SvgWriter::kPitch + SvgWriter::kMargin;
  return svg.ToString(kStyle);
}

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

std::string SvgOfProfile(const MemoryProfile& profile, absl::Span<const std::string> names) {
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
      svg.Rect(absl::StrCat("o", i), x, top, 8, height(large[i]->bytes),
               absl::StrCat(name, ": ", large[i]->name, ", ", large[i]->bytes, " bytes"));
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
