#include "tessera/pipeline/command_line/old_names.h"

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

std::vector<Verb> Verbs() {
  Verb shardings, report, check, memory, own;
  shardings.name = "shardings";
  shardings.flags = {{"format", "text|golden", "", "text"}};
  report.name = "report";
  report.flags = {{"format", "html|text|dot", "", "html"}};
  check.name = "check";
  memory.name = "memory";
  memory.flags = {{"memory-limit", "BYTES", "", ""}};
  own.name = "own";
  own.flags = {{"memory-limit", "BYTES", "", ""}, {"limit", "N", "another thing", ""}};
  memory.flags.push_back({"hardware", "PRESET", "--target=CHIP", "", false, kOldNames});
  return {shardings, report, check, memory, own};
}

struct Case {
  std::vector<std::string> words;
  const char* now;
};

TEST(OldNames, BecomeNewOnes) {
  const Case cases[] = {
      {{"record", "a.hlo"}, "shardings --format=golden a.hlo"},
      {{"graph", "a.hlo", "x"}, "report --format=text a.hlo x"},
      {{"graph", "a.hlo", "--form=dot"}, "report a.hlo --format=dot"},
      {{"check", "a.hlo", "--golden=g.txt"}, "check a.hlo g.txt"},
      {{"check", "--golden", "g.txt", "a.hlo"}, "check a.hlo g.txt"},
      {{"check", "a.hlo", "--golden"}, "check a.hlo "},
      {{"memory", "a.hlo", "--limit", "1GB"}, "memory a.hlo --memory-limit 1GB"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> words = c.words;
    EXPECT_THAT(ReplaceOldNames(Verbs(), &words), HasSubstr("works in this release only\n"));
    EXPECT_EQ(absl::StrJoin(words, " "), c.now);
  }
}

TEST(OldNames, AFlagThatStaysGetsANote) {
  std::vector<std::string> words = {"memory", "a.hlo", "--hardware=tpu-v5e"};
  EXPECT_EQ(ReplaceOldNames(Verbs(), &words),
            "note: --hardware is now --target=CHIP; the old name works in this release only\n");
  EXPECT_EQ(words.back(), "--hardware=tpu-v5e");
}

TEST(OldNames, WhatAVerbHasItselfStays) {
  for (const std::vector<std::string>& said :
       std::vector<std::vector<std::string>>{{},
                                             {"memory", "a.hlo", "--memory-limit=1GB"},
                                             {"own", "a.hlo", "--limit=3"},
                                             {"memory", "--", "--limit=3"},
                                             {"levels", "a.hlo"},  // no verb here has its new form
                                             {"nothing", "--limit=3"}}) {
    std::vector<std::string> words = said;
    EXPECT_EQ(ReplaceOldNames(Verbs(), &words), "");
    EXPECT_EQ(words, said);
  }
}

}  // namespace
}  // namespace tessera::pipeline
