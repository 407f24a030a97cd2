#include "tessera/sharding/text/quote.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding {
namespace {

int HexValue(char c) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool IsBareSymbol(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '$' && c != '.') {
      return false;
    }
  }
  return name[0] == '_' || absl::ascii_isalpha(static_cast<unsigned char>(name[0]));
}

// Reads the escape whose backslash stands at body[at], appends its byte and returns the offset
// after it; 0 if it is none.
size_t ReadEscape(absl::string_view body, size_t at, std::string& out) {
  if (at + 1 >= body.size()) return 0;
  const char c = body[at + 1];
  if (at + 2 < body.size() && HexValue(c) >= 0 && HexValue(body[at + 2]) >= 0) {
    out += static_cast<char>(HexValue(c) * 16 + HexValue(body[at + 2]));
    return at + 3;
  }
  switch (c) {
    case '"':
    case '\\':
      out += c;
      return at + 2;
    case 'n':
      out += '\n';
      return at + 2;
    case 't':
      out += '\t';
      return at + 2;
    default:
      return 0;
  }
}

}  // namespace

std::string QuoteName(absl::string_view name) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (char c : name) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (absl::ascii_isprint(byte) && c != '"') {
      out += c;
    } else {
      out += '\\';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out += '"';
  return out;
}

absl::StatusOr<std::string> UnquoteName(absl::string_view body) {
  std::string out;
  for (size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      out += body[at++];
      continue;
    }
    const size_t next = ReadEscape(body, at, out);
    if (next == 0) {
      return absl::InvalidArgumentError(
          "unknown escape in a quoted name; there are \\\", \\\\, \\n, \\t and \\XX in hex");
    }
    at = next;
  }
  return out;
}

std::string QuoteSymbol(absl::string_view name) {
  return IsBareSymbol(name) ? std::string(name) : QuoteName(name);
}

}  // namespace tessera::sharding
