// The words of HLO text as a dictionary for libFuzzer (-dict=FILE), from the tables that the parser
// reads by: opcodes, attributes, types, and the punctuation that joins them.
//
//   dictionary > hlo.dict

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/element_type.h"

namespace tessera::testing {
namespace {

// What no table of ours has: heads of lines, parts of shardings and of replica groups.
constexpr const char* kOthers[] = {"HloModule ",
                                   "ENTRY ",
                                   "ROOT ",
                                   "entry_computation_layout={(",
                                   "num_partitions=",
                                   ")->",
                                   "is_scheduled=",
                                   "input_output_alias={",
                                   "replicated",
                                   "maximal",
                                   "manual",
                                   "last_tile_dim_replicate",
                                   "last_tile_dims={",
                                   "unreduced",
                                   "devices=[",
                                   "<=[",
                                   "]T(",
                                   "#sdy.mesh<[",
                                   "#sdy.sharding<@",
                                   "#sdy.sharding_per_value<[<@",
                                   "xla.sdy.sharding=",
                                   "{...}",
                                   "/*index=5*/",
                                   "mesh["};

// None of the words has a quote, a backslash or what cannot be printed.
void Print(const std::string& word) { std::printf("\"%s\"\n", word.c_str()); }

void PrintAll() {
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    Print(absl::StrCat(hlo::OpcodeName(static_cast<hlo::Opcode>(i)), "("));
  }
  for (int i = 0; i < hlo::kNumAttributeNames; ++i) {
    Print(absl::StrCat(hlo::AttributeText(static_cast<hlo::AttributeName>(i)), "="));
  }
  for (int i = 0; i < layout::kNumElementTypes; ++i) {
    Print(absl::StrCat(layout::ElementTypeName(static_cast<layout::ElementType>(i)), "["));
  }
  for (const char* word : kOthers) Print(word);
}

}  // namespace
}  // namespace tessera::testing

int main() { tessera::testing::PrintAll(); }
