// Where the lines of an explanation go: into a text, or into a message.
//
//   TextLines lines;
//   lines.Add("has", "dim 0 has 'data' (size 4)\n");
//   lines.AddRows(rows);       // the steps of a chain
//   lines.TakeText();

#ifndef TESSERA_PIPELINE_EXPLAIN_EXPLANATION_LINES_H_
#define TESSERA_PIPELINE_EXPLAIN_EXPLANATION_LINES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/explain/chain_rows.h"
#include "tessera/pipeline/schema/report_answer.pb.h"

namespace tessera::pipeline {

// The kind of the line that says what the tensor is.
inline constexpr absl::string_view kHeadLine = "head";

class Lines {
 public:
  virtual ~Lines() = default;
  // Some lines, the first of `kind` (ExplanationLine); "": of none.
  virtual void Add(absl::string_view kind, absl::string_view text) = 0;
  virtual void AddRows(const std::vector<Row>& rows) = 0;
};

class TextLines : public Lines {
 public:
  void Add(absl::string_view kind, absl::string_view text) override;
  void AddRows(const std::vector<Row>& rows) override;
  std::string TakeText() { return std::move(text_); }

 private:
  std::string text_;
};

// Without the line of the tensor.
class MessageLines : public Lines {
 public:
  explicit MessageLines(answers::ReportExplanation* to) : to_(*to) {}
  void Add(absl::string_view kind, absl::string_view text) override;
  void AddRows(const std::vector<Row>& rows) override;

 private:
  answers::ReportExplanation& to_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_EXPLANATION_LINES_H_
