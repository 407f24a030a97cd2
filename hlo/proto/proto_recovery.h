// The recovery table (recovery_table.h) between text and binary HLO. Its modules go the way of all
// modules, which is given by the caller.

#ifndef TESSERA_HLO_PROTO_PROTO_RECOVERY_H_
#define TESSERA_HLO_PROTO_PROTO_RECOVERY_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

using ModuleTextOf = absl::FunctionRef<absl::StatusOr<std::string>(const pb::HloModuleProto&)>;
using StoreModule = absl::FunctionRef<absl::Status(const Module&, pb::HloModuleProto*)>;

// `, origin_recovery_table={...}`, or nothing.
absl::StatusOr<std::string> RecoveryTableText(const pb::HloModuleProto& proto,
                                              ModuleTextOf text_of);
absl::Status StoreRecoveryTable(const Module& module, StoreModule store, pb::HloModuleProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_RECOVERY_H_
