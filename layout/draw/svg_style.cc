#include "tessera/layout/draw/svg_style.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tessera::layout {

using text::Box;
using text::SvgWriter;
namespace {

constexpr double kSaturation = 0.7;
constexpr double kLightness = 0.82;

// "#rrggbb" of a hue in degrees, with the saturation and lightness of the light scheme below.
std::string LightColour(double hue) {
  const double reach = kSaturation * std::min(kLightness, 1 - kLightness);
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue / 30, 12);
    const double value = kLightness - reach * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(255 * value));
  };
  return absl::StrFormat("#%02x%02x%02x", channel(0), channel(8), channel(4));
}

}  // namespace

absl::string_view SvgStyle() {
  return R"(<style>
svg { background: #ffffff; --ink: #222222; --l: 82%; --s: 70%; --pad: #dddddd; }
text { font-family: monospace; font-size: 11px; fill: #222222; fill: var(--ink);
  text-anchor: middle; }
.head { text-anchor: start; font-size: 13px; }
.left { text-anchor: start; }
.axis { opacity: 0.7; }
rect, line { stroke: #222222; stroke: var(--ink); }
.cell, .gcell, .tile { fill: hsl(var(--h, 0), var(--s), var(--l)); stroke-width: 0.4; }
.pad, .gpad { fill-opacity: 0.35; stroke-dasharray: 2 2; }
.none { fill: #dddddd; fill: var(--pad); }
.bracket { stroke-width: 1; }
.border { stroke-width: 1.6; }
.second { stroke: #d00000; stroke-width: 1.6; }
.hatch { stroke-width: 0.4; opacity: 0.6; }
@media (prefers-color-scheme: dark) {
  svg { background: #16181c; --ink: #e8e8e8; --l: 30%; --s: 55%; --pad: #444444; }
  .second { stroke: #ff6060; }
}
</style>
)";
}

std::string HueOf(int64_t tile) {
  if (tile < 0) return "";
  const double hue = std::fmod(static_cast<double>(tile) * 137.5, 360.0);
  return absl::StrCat("fill=\"", LightColour(hue), "\" style=\"--h:", hue, "\"");
}

double CellWidth(size_t characters) { return 10 + 7.0 * static_cast<double>(characters); }

std::string IndexText(absl::Span<const int64_t> index) {
  return index.empty() ? "()" : absl::StrJoin(index, ",");
}

void Hatch(const Box& box, SvgWriter* svg) {
  svg->Line(box.x, box.y + box.height, box.x + box.width, box.y, "class=\"hatch\"");
}

}  // namespace tessera::layout
