// The text of a literal, checked against its shape, and decoded if wanted.
//
//   Reader in(text, ..);                       // "{1, 2, 3}) ..."
//   ReadLiteral(in, shape, nullptr);           // checks only; stops after "{1, 2, 3}"

#ifndef TESSERA_HLO_VALUES_LITERAL_READER_H_
#define TESSERA_HLO_VALUES_LITERAL_READER_H_

#include "tessera/hlo/literal.h"
#include "tessera/hlo/parse/reader.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

bool ReadLiteral(Reader& in, const layout::Shape& shape, Literal* literal);

// Shape and value, as in ParseTypedLiteral.
bool ReadTypedLiteral(Reader& in, Literal* literal);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_LITERAL_READER_H_
