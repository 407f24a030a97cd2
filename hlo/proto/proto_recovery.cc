#include "tessera/hlo/proto/proto_recovery.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/values/recovery_table.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

std::string ArrayText(const pb::OriginalValueProto::Array& proto) {
  const std::vector<int64_t> index(proto.shape_index().begin(), proto.shape_index().end());
  return OriginalArrayText(CEscape(proto.instruction_name()), index);
}

void StoreArray(const OriginalArray& array, pb::OriginalValueProto::Array* proto) {
  proto->set_instruction_name(array.name);
  for (int64_t i : array.index) proto->add_shape_index(i);
}

}  // namespace

absl::StatusOr<std::string> RecoveryTableText(const pb::HloModuleProto& proto,
                                              ModuleTextOf text_of) {
  const auto& entries = proto.original_value_recovery_table().entries();
  if (entries.empty()) return "";
  std::string out = ", origin_recovery_table={\n";
  for (const pb::RecoveryTableProto::Entry& entry : entries) {
    absl::StrAppend(&out, "  ", ArrayText(entry.old_array()), " : ", ArrayText(entry.new_array()));
    if (entry.has_recovery_module()) {
      TESSERA_ASSIGN_OR_RETURN(const std::string text, text_of(entry.recovery_module()));
      absl::StrAppend(&out, ",\n  \"", CEscape(text), "\"");
    }
    out += '\n';
  }
  out += '}';
  return out;
}

absl::Status StoreRecoveryTable(const Module& module, StoreModule store,
                                pb::HloModuleProto* proto) {
  for (const RecoveryEntry& entry : RecoveryTableOf(module)) {
    pb::RecoveryTableProto::Entry* to =
        proto->mutable_original_value_recovery_table()->add_entries();
    StoreArray(entry.old_array, to->mutable_old_array());
    StoreArray(entry.new_array, to->mutable_new_array());
    if (entry.module.empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(const Module recovery, ParseModule(entry.module, "<recovery>"));
    TESSERA_RETURN_IF_ERROR(store(recovery, to->mutable_recovery_module()));
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
