#include "tessera/cost/trace/unpack.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::cost {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr size_t kMostAtOnce = size_t{1} << 30;

class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, kGzip) == Z_OK; }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  absl::StatusOr<std::string> Run(absl::string_view bytes, size_t most) {
    if (!is_ready_) return absl::ResourceExhaustedError("no memory to unpack it");
    std::string out;
    int state = Z_OK;
    while (state != Z_STREAM_END || !bytes.empty()) {
      // Another member follows one that has ended.
      if (state == Z_STREAM_END) inflateReset(&stream_);
      const size_t offered = std::min(bytes.size(), kMostAtOnce);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(offered);
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END) {
        return absl::InvalidArgumentError("its packed bytes are cut or damaged");
      }
      bytes.remove_prefix(offered - stream_.avail_in);
      const size_t made = buffer_.size() - stream_.avail_out;
      if (out.size() + made > most) {
        return absl::OutOfRangeError(absl::StrCat("it has more than ", most, " bytes unpacked"));
      }
      out.append(reinterpret_cast<const char*>(buffer_.data()), made);
    }
    return out;
  }

 private:
  z_stream stream_ = {};
  bool is_ready_ = false;
  std::array<Bytef, 1 << 16> buffer_;
};

}  // namespace

bool IsPacked(absl::string_view bytes) { return absl::StartsWith(bytes, "\x1f\x8b"); }

absl::StatusOr<std::string> Unpack(absl::string_view bytes, size_t most) {
  Inflater inflater;
  return inflater.Run(bytes, most);
}

}  // namespace tessera::cost
