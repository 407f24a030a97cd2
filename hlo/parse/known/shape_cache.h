// Shapes by the text in which they are written: a module has few distinct ones, so most are found
// without being parsed.

#ifndef TESSERA_HLO_PARSE_KNOWN_SHAPE_CACHE_H_
#define TESSERA_HLO_PARSE_KNOWN_SHAPE_CACHE_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/reader.h"
#include "tessera/hlo/values/text_numbers.h"

namespace tessera::hlo {

class ShapeCache {
 public:
  explicit ShapeCache(Module* module) : module_(module) {}

  // True if a shape begins at the reader's place: a type, '(' or `b(`.
  static bool Starts(const Reader& in);
  // Reads a shape there.
  bool Read(Reader& in, ShapeId* shape);
  // Whether the shape that was read last is spelled as it would be printed; may be false where true
  // would be right.
  bool last_is_printed() const { return last_is_printed_; }

 private:
  struct Known {
    ShapeId shape = 0;
    bool is_printed = false;
  };

  bool Parse(Reader& in, ShapeId* shape);

  Module* module_;
  TextNumbers numbers_;
  std::vector<Known> known_;  // by number
  bool last_is_printed_ = false;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_KNOWN_SHAPE_CACHE_H_
