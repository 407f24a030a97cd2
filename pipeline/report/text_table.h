// Texts that occur often, by number.
//
//   TextTable texts;              // number 0 is ""
//   texts.Add("f32[8]");          // 1, however often it is added

#ifndef TESSERA_PIPELINE_REPORT_TEXT_TABLE_H_
#define TESSERA_PIPELINE_REPORT_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

class TextTable {
 public:
  TextTable() { Add(""); }

  int64_t Add(absl::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    texts_.emplace_back(text);
    return numbers_[texts_.back()] = static_cast<int64_t>(texts_.size()) - 1;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, int64_t> numbers_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_TEXT_TABLE_H_
