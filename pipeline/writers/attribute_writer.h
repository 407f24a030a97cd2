// The attributes of a new instruction, in part those of one of the module from before the pass.
//
//   AttributeWriter attributes(before, form, &after);
//   attributes.Copy(source, /*all=*/true, id);
//   attributes.Put(hlo::AttributeName::kIndex, "1");
//   attributes.SetOf(id);                  // those of this instruction are complete
//
// They are gathered first and set once. Tested by writers_test.cc.

#ifndef TESSERA_PIPELINE_WRITERS_ATTRIBUTE_WRITER_H_
#define TESSERA_PIPELINE_WRITERS_ATTRIBUTE_WRITER_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

class AttributeWriter {
 public:
  AttributeWriter(const hlo::Module& before, const sharding::passes::HloForm& form,
                  hlo::Module* after)
      : before_(before), form_(form), after_(*after) {}

  // The last value of a name counts.
  void Put(hlo::AttributeName name, absl::string_view value) { PutKept(name, after_.Keep(value)); }
  void PutSharding(sharding::passes::HloShardingId sharding);
  // One sharding for all leaves of what is to be marked. A tuple of what a region returns is no op to
  // the pass: it stays unmarked.
  void PutMark(hlo::InstructionId id, sharding::passes::HloShardingId mark);
  // All that survives the pass; only what says where an instruction came from unless `all`.
  void Copy(hlo::InstructionId from, bool all, hlo::InstructionId to);

  void SetOf(hlo::InstructionId id);

 private:
  // `kept`: a text of `after_`.
  void PutKept(hlo::AttributeName name, absl::string_view kept);
  // A text that stands in the source needs no copy.
  absl::string_view Held(absl::string_view text);
  absl::string_view ShardingText(sharding::passes::HloShardingId sharding);
  // Attributes without a form in the dialect in which the pass works, which are lost on the way.
  bool IsLost(hlo::InstructionId from, const hlo::Attribute& a) const;

  const hlo::Module& before_;
  const sharding::passes::HloForm& form_;
  hlo::Module& after_;
  std::vector<hlo::Attribute> attributes_;         // of the instruction that is being written
  std::vector<absl::string_view> sharding_texts_;  // those that `after_` keeps
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_ATTRIBUTE_WRITER_H_
