// ParseModules without the straight path (straight_line.cc): the slow, obvious reader that tests
// and fuzzers compare it with.

#ifndef TESSERA_HLO_PARSE_BY_GRAMMAR_H_
#define TESSERA_HLO_PARSE_BY_GRAMMAR_H_

#include <memory>

#include "tessera/hlo/parser.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

ParsedText ParseModulesByGrammar(const std::shared_ptr<const text::Source>& source);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_BY_GRAMMAR_H_
