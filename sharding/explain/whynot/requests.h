// Who asks for an axis at all.
//
//   Requests requests(log);
//   requests.Nearest(slot, "b");   // the nearest annotation with 'b' in a dimension
//   requests.Ignored("b");         // an instruction that says so where XLA does not read it
//
// Tested by the case family explain_whynot.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_REQUESTS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_REQUESTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

// An annotation, and the dimension for which it asks for the axis.
struct Request {
  int32_t annotation = kNoIndex;  // of EventLog::annotations()
  int dim = 0;
};

class Requests {
 public:
  explicit Requests(const EventLog& log);

  // The first of those that are as near. Cost: logarithmic in the annotations.
  std::optional<Request> Nearest(SlotId slot, const std::string& axis) const;
  // kNoId if there is none.
  hlo::InstructionId Ignored(absl::string_view axis) const;
  // All instructions with an annotation that XLA does not read, and what that says.
  const std::vector<std::pair<hlo::InstructionId, std::string>>& unread() const { return unread_; }

 private:
  struct Asker {
    SlotId slot = kNoIndex;
    Request request;
  };

  // Ascending by slot, of each slot the first request.
  absl::flat_hash_map<std::string, std::vector<Asker>> by_axis_;
  std::vector<std::pair<hlo::InstructionId, std::string>> unread_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_REQUESTS_H_
