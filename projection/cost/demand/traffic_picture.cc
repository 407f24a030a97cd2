#include "tessera/projection/cost/demand/traffic_picture.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/checked.h"
#include "tessera/projection/draw/svg_writer.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMostDevices = 16, kMaxNodes = 64;
constexpr int64_t kNode = 28, kStep = 90, kBow = 26;  // of the drawing of a torus

constexpr char kStyle[] =
    "<style>text{font-family:monospace;font-size:13px}rect{stroke:#fff}.most{fill:#c0392b}"
    ".t0{fill:#f4f4f4}.t1{fill:#d6eaf8}.t2{fill:#85c1e9}.t3{fill:#2e86c1}"
    ".node{fill:#f4f4f4;stroke:#444}.link{fill:none;stroke:#2e86c1}"
    ".busiest{fill:none;stroke:#c0392b}</style>\n";

// Where devices stand: the last axis to the right, the one before it down, planes to the right.
class Map {
 public:
  Map(const Torus& torus, int64_t top) : sizes_(torus.sizes), top_(top) {}

  ZPoint CoordinatesOf(int64_t device) const {
    ZPoint at = sizes_;
    for (int a = sizes_.rank() - 1; a >= 0; --a) {
      at[a] = device % sizes_[a];
      device /= sizes_[a];
    }
    return at;
  }
  int64_t Columns() const { return sizes_.rank() > 0 ? sizes_[sizes_.rank() - 1] : 1; }
  int64_t Rows() const { return sizes_.rank() > 1 ? sizes_[sizes_.rank() - 2] : 1; }
  // The middle of a device.
  int64_t X(int64_t device) const {
    const int64_t plane = device / (Rows() * Columns());
    return SvgWriter::kMargin + kBow + kNode / 2 +
           (plane * (Columns() + 1) + device % Columns()) * kStep;
  }
  int64_t Y(int64_t device) const {
    return top_ + kBow + kNode / 2 + device / Columns() % Rows() * kStep;
  }

 private:
  ZPoint sizes_;
  int64_t top_;
};

// A curve that leaves room for the other direction; far ones (round the torus, to another plane)
// are bent more.
void DrawLink(const Map& map, const LinkBytes& link, int64_t most, SvgWriter* svg) {
  const int64_t x1 = map.X(link.from), y1 = map.Y(link.from);
  const int64_t x2 = map.X(link.to), y2 = map.Y(link.to);
  const int64_t dx = x2 - x1, dy = y2 - y1;
  const int64_t length = std::max<int64_t>(std::abs(dx) + std::abs(dy), 1);
  const int64_t bow = length > kStep ? 2 * kBow : 8;
  const int64_t cx = (x1 + x2) / 2 - dy * bow / length, cy = (y1 + y2) / 2 + dx * bow / length;
  const bool busiest = link.bytes == most;
  svg->Raw(absl::StrCat("<path class=\"", busiest ? "busiest" : "link", "\" stroke-width=\"",
                        1 + 4 * link.bytes / std::max<int64_t>(most, 1), "\" d=\"M", x1, " ", y1,
                        "Q", cx, " ", cy, " ", x2, " ", y2, "\"><title>d", link.from, " to d",
                        link.to, ": ", link.bytes, " bytes</title></path>\n"));
  if (busiest)
    svg->Raw(absl::StrCat("<text x=\"", ((x1 + x2) / 2 + cx) / 2 + 4, "\" y=\"",
                          ((y1 + y2) / 2 + cy) / 2, "\" fill=\"#c0392b\">", link.bytes,
                          "</text>\n"));
}

void DrawDevice(const Map& map, int64_t device, SvgWriter* svg) {
  svg->Rect("node", map.X(device) - kNode / 2, map.Y(device) - kNode / 2, kNode, kNode,
            absl::StrCat("device ", device, " at ", map.CoordinatesOf(device).ToString()));
  svg->Raw(absl::StrCat("<text x=\"", map.X(device) - kNode / 2 + 4, "\" y=\"", map.Y(device) + 5,
                        "\">", device, "</text>\n"));
}

std::string DrawTorus(const Torus& torus, int64_t devices, const RoutedTraffic& traffic) {
  SvgWriter svg;
  svg.Line(absl::StrCat("bytes on the links of a torus ", absl::StrJoin(torus.sizes, " x "),
                        ", at most ", traffic.busiest_link_bytes));
  const Map map(torus, svg.y + kBow);
  for (const LinkBytes& link : traffic.links) DrawLink(map, link, traffic.busiest_link_bytes, &svg);
  for (int64_t device = 0; device < devices; ++device) DrawDevice(map, device, &svg);
  svg.Reach(map.X(devices - 1) + kNode + kBow);
  svg.y += map.Rows() * kStep + 2 * kBow;
  return svg.ToString(kStyle);
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

absl::StatusOr<std::string> SvgOfTorus(const Torus& torus, absl::Span<const Message> messages) {
  int64_t devices = 1;
  for (int64_t size : torus.sizes) devices *= size;
  if (devices <= kMaxNodes) {
    TESSERA_ASSIGN_OR_RETURN(const RoutedTraffic traffic, RouteMessages(torus, messages));
    return DrawTorus(torus, devices, traffic);
  }
  std::vector<int64_t> volume(static_cast<size_t>(devices * devices));
  for (const Message& m : messages)
    volume[static_cast<size_t>(m.source * devices + m.target)] += m.bytes;
  return SvgOfTraffic(volume, devices);
}

}  // namespace tessera::projection
