// One verb of the table in the parser of CLI11, and the words that this finds for it.
//
//   BoundVerb bound;
//   Bind(verb, parser, bound);
//   parser.parse(words);
//   BadOutputs(bound), ConflictOf(bound);     // faults that CLI11 does not know
//   ToArguments(bound).Get("mesh");
//
// Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_BOUND_VERB_H_
#define TESSERA_PIPELINE_COMMAND_LINE_BOUND_VERB_H_

#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Where CLI11 puts the words of one verb.
struct BoundVerb {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> switches;
  std::vector<std::string> single_positionals;
  std::vector<std::string> rest;
  std::string output;
};

// `bound` must not move from then on.
void Bind(const Verb& verb, CLI::App& parser, BoundVerb& bound);

Arguments ToArguments(const BoundVerb& bound);

// A fault that CLI11 found, in the words of this command line: of a flag (`fault`: what CLI11 says of it;
// empty for other faults), and of a word that nothing takes.
std::string FaultOfFlag(const BoundVerb& bound, absl::string_view fault);
std::string FaultOfWords(const BoundVerb& bound);

// The mistake in the files that the verb is to write; empty if there is none. A flag whose value is
// a FILE names another one, to be read or written.
std::string BadOutputs(const BoundVerb& bound);
// Two flags of which one leaves the other nothing to do; empty if there are none.
std::string ConflictOf(const BoundVerb& bound);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_BOUND_VERB_H_
