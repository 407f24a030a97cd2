#include "tessera/layout/shape/layout_parser.h"

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tessera::layout {
namespace {

bool ReadOrder(Scanner& in, Layout* layout) {
  do {
    int64_t dimension = 0;
    if (!in.ReadInt(&dimension)) return in.Fail("E_M2M", "expected a dimension number");
    layout->minor_to_major.push_back(dimension);
  } while (in.Consume(','));
  return true;
}

// Read and forgotten: levels matter to sparse arrays only.
bool ReadDimLevels(Scanner& in, Layout*) {
  if (!in.Expect('(', "E_LPAREN")) return false;
  if (in.Consume(')')) return true;
  do {
    const size_t offset = in.NextOffset();
    absl::string_view level;
    const bool is_level = in.ConsumeIdentifier(level) && level.size() == 1 &&
                          absl::string_view("DCSH").find(level[0]) != absl::string_view::npos;
    if (!is_level) return in.FailAt(offset, "E_DIM_LEVEL", "expected D, C, S or H");
    in.Consume('+');
    in.Consume('~');
  } while (in.Consume(','));
  return in.Expect(')', "E_RPAREN");
}

bool ReadTile(Scanner& in, Tile* tile) {
  if (!in.Expect('(', "E_LPAREN")) return false;
  if (in.Consume(')')) return true;
  do {
    int64_t entry = Tile::kCombine;
    if (!in.Consume('*') &&
        !in.ExpectIntFrom(0, "E_TILE_DIM", "tile size must not be negative", &entry)) {
      return false;
    }
    tile->dims.push_back(entry);
  } while (in.Consume(','));
  return in.Expect(')', "E_RPAREN");
}

bool ReadTiles(Scanner& in, Layout* layout) {
  do {
    layout->tiles.emplace_back();
    if (!ReadTile(in, &layout->tiles.back())) return false;
  } while (in.Peek() == '(');
  return true;
}

bool ReadTail(Scanner& in, Layout* layout) {
  return in.Expect('(', "E_LPAREN") &&
         in.ExpectIntFrom(1, "E_TAIL", "tail alignment must be at least 1",
                          &layout->tail_alignment) &&
         in.Expect(')', "E_RPAREN");
}

bool ReadUnsignedType(Scanner& in, ElementType* type) {
  if (!in.Expect('(', "E_LPAREN")) return false;
  const size_t offset = in.NextOffset();
  absl::string_view name;
  in.ConsumeIdentifier(name);
  *type = ElementTypeFromName(name).value_or(ElementType::kInvalid);
  if (!IsUnsigned(*type)) {
    return in.FailAt(offset, "E_INDEX_TYPE", "expected an unsigned integer type");
  }
  return in.Expect(')', "E_RPAREN");
}

bool ReadIndexType(Scanner& in, Layout* layout) {
  return ReadUnsignedType(in, &layout->index_type);
}

bool ReadPointerType(Scanner& in, Layout* layout) {
  return ReadUnsignedType(in, &layout->pointer_type);
}

bool ReadElementBits(Scanner& in, Layout* layout) {
  return in.Expect('(', "E_LPAREN") && in.ExpectInt(&layout->element_bits) &&
         in.Expect(')', "E_RPAREN");
}

bool ReadMemorySpace(Scanner& in, Layout* layout) {
  if (!in.Expect('(', "E_LPAREN")) return false;
  const size_t offset = in.NextOffset();
  int64_t space = 0;
  if (!in.ExpectInt(&space)) return false;
  if (space < -128 || space > 127) {
    return in.FailAt(offset, "E_SPACE", "memory space must be in -128..127");
  }
  layout->memory_space = static_cast<int8_t>(space);
  return in.Expect(')', "E_RPAREN");
}

bool ReadSplit(Scanner& in, SplitConfig* split) {
  if (!in.Expect('(', "E_LPAREN") || !in.ExpectInt(&split->dimension)) return false;
  if (!in.Expect(':', "E_COLON")) return false;
  if (in.Consume(')')) return true;
  do {
    int64_t point = 0;
    if (!in.ExpectInt(&point)) return false;
    split->points.push_back(point);
  } while (in.Consume(','));
  return in.Expect(')', "E_RPAREN");
}

bool ReadSplits(Scanner& in, Layout* layout) {
  do {
    layout->splits.emplace_back();
    if (!ReadSplit(in, &layout->splits.back())) return false;
  } while (in.Peek() == '(');
  return true;
}

bool RefusePhysicalShape(Scanner& in, Layout*) {
  return in.FailAt(in.offset() - 1, "E_PHYSICAL", "physical shapes exist only for sparse arrays");
}

bool ReadMetadata(Scanner& in, Layout* layout) {
  return in.Expect('(', "E_LPAREN") &&
         in.ExpectIntFrom(0, "E_META", "metadata size must not be negative",
                          &layout->metadata_prefix_bytes) &&
         in.Expect(')', "E_RPAREN");
}

// The order of the table is the order in which a layout must name its properties.
struct Suffix {
  absl::string_view name;
  bool (*read)(Scanner& in, Layout* layout);
};

constexpr std::array<Suffix, 10> kSuffixes = {{
    {"D", ReadDimLevels},
    {"T", ReadTiles},
    {"L", ReadTail},
    {"#", ReadIndexType},
    {"*", ReadPointerType},
    {"E", ReadElementBits},
    {"S", ReadMemorySpace},
    {"SC", ReadSplits},
    {"P", RefusePhysicalShape},
    {"M", ReadMetadata},
}};

// The name of the suffix that comes next, empty if nothing that could be one does.
absl::string_view ReadSuffixName(Scanner& in) {
  absl::string_view name;
  if (in.ConsumeIdentifier(name)) return name;
  if (in.Consume('#')) return "#";
  if (in.Consume('*')) return "*";
  return {};
}

bool ReadSuffixes(Scanner& in, Layout* layout) {
  const Suffix* next = kSuffixes.begin();
  while (!in.Consume('}')) {
    const size_t offset = in.NextOffset();
    const absl::string_view name = ReadSuffixName(in);
    while (next != kSuffixes.end() && next->name != name) ++next;
    if (next == kSuffixes.end() && in.AtEnd()) {
      return in.FailAt(offset, "E_SUFFIX", "expected '}' or another property of the layout");
    }
    if (next == kSuffixes.end()) {
      return in.FailAt(offset, "E_SUFFIX",
                       "unknown or misplaced layout property; the order is D T L # * E S SC P M");
    }
    if (!(next++)->read(in, layout)) return false;
  }
  return true;
}

}  // namespace

bool ReadLayout(Scanner& in, Layout* layout) {
  in.Consume('{');
  if (in.NextIsInt() && !ReadOrder(in, layout)) return false;
  if (in.Consume(':')) return ReadSuffixes(in, layout);
  return in.Consume('}') || in.Fail("E_RBRACE", "expected \":\" or \"}\"");
}

}  // namespace tessera::layout
