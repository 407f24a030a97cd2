// The command line in a test, and the files that it reads.
//
//   const Outcome run = RunTessera({StatsVerb()}, {"stats", TestFile("m.hlo", kModule)});
//   EXPECT_EQ(run.exit, 0) << run.err;

#ifndef TESSERA_PIPELINE_COMMAND_LINE_RUN_IN_TEST_H_
#define TESSERA_PIPELINE_COMMAND_LINE_RUN_IN_TEST_H_

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

struct Outcome {
  int exit;
  std::string out, err;
};

inline Outcome RunTessera(const std::vector<Verb>& verbs, const std::vector<std::string>& words) {
  std::ostringstream out, err;
  const int exit = RunCommandLine(verbs, words, out, err);
  return {exit, out.str(), err.str()};
}

// The path of a file of that name, in the folder of the test, with `text` in it.
inline std::string TestFile(const std::string& name, const std::string& text) {
  std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

inline std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_RUN_IN_TEST_H_
