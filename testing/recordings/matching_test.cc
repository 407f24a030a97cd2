// How many tensors of a golden file are found again after what developers do to a program. The
// modules are those of programs.py; docs/golden.md has the figures.

#include "tessera/sharding/explain/golden/matching.h"

#include <cctype>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/golden/module_recording.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/text/source.h"

namespace tessera::sharding::golden {
namespace {

std::string TextOf(const std::string& path) {
  const auto source = text::Source::FromFile(path);
  EXPECT_TRUE(source.ok()) << source.status();
  return source.ok() ? std::string((*source)->text()) : "";
}

Recording Record(const std::string& name, const std::string& text) {
  auto module = hlo::ParseModule(text, name);
  EXPECT_TRUE(module.ok()) << module.status();
  const pipeline::ShardOptions options;
  auto sharded = pipeline::Propagate(*std::move(module), options);
  EXPECT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_TRUE(pipeline::Finalize(options, sharded->get()).ok());
  return pipeline::RecordingOf(**sharded, options.reference.version);
}

Recording RecordVersion(const std::string& name) {
  return Record(name, TextOf(absl::StrCat("testing/recordings/", name, ".hlo")));
}

// As a dump without metadata has it.
void DropMetadata(Recording* recording) {
  for (Entry& entry : recording->entries) entry.op_name = entry.source = "";
}

struct Counts {
  size_t tensors = 0;    // of the golden file
  size_t now = 0;        // of the changed program
  int found = 0;         // in both
  size_t resharded = 0;  // found, with other axes
};

Counts CountsOf(const Recording& golden, const Recording& now) {
  Counts counts = {golden.entries.size(), now.entries.size(), 0, 0};
  counts.found = Match(golden.entries, now.entries).pairs;
  for (const Change& c : Compare(golden, now).changes) counts.resharded += !c.axes.empty();
  return counts;
}

std::string ToString(const Counts& c) {
  return absl::StrCat(c.tensors, " recorded, ", c.now, " now, ", c.found, " found, ", c.resharded,
                      " sharded otherwise");
}

// Another version of JAX numbers all instructions anew: dot_general.17 is dot_general.999983.
std::string Renumbered(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const bool begins = std::isalpha(static_cast<unsigned char>(text[at])) || text[at] == '_';
    size_t end = at;
    const auto in_name = [&] {
      const char c = text[end];
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    while (end < text.size() && in_name()) ++end;
    if (end == at) end = at + 1;
    const std::string word = text.substr(at, end - at);
    const size_t dot = word.rfind('.');
    int number = 0;
    if (begins && dot != std::string::npos && absl::SimpleAtoi(word.substr(dot + 1), &number)) {
      absl::StrAppend(&out, word.substr(0, dot), ".", 1000000 - number);
    } else {
      out += word;
    }
    at = end;
  }
  return out;
}

std::vector<std::string> GoldenModules(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const size_t end = name.rfind(".lowered.hlo");
    if (end != std::string::npos) names.push_back(name.substr(0, end));
  }
  return names;
}

TEST(MatchingTest, NewNumbersAreNoChange) {
  int modules = 0, tensors = 0;
  for (const std::string& name : GoldenModules("testing/jax/golden")) {
    const std::string text = TextOf(absl::StrCat("testing/jax/golden/", name, ".lowered.hlo"));
    const Recording golden = Record(name, text), now = Record(name, Renumbered(text));
    const Matching match = Match(golden.entries, now.entries);
    ASSERT_EQ(golden.entries.size(), now.entries.size()) << name;
    for (size_t e = 0; e < golden.entries.size(); ++e) {
      EXPECT_EQ(match.of_before[e], static_cast<int>(e)) << name << " " << golden.entries[e].name;
    }
    EXPECT_TRUE(Compare(golden, now).IsEqual()) << name;
    tensors += static_cast<int>(golden.entries.size());
    ++modules;
  }
  EXPECT_GE(modules, 100);
  std::cout << "renumbered: " << modules << " modules, " << tensors << " tensors\n";
}

TEST(MatchingTest, AnotherVersionOfJax) {
  Counts all;
  int modules = 0;
  for (const std::string& name : GoldenModules("testing/jax/golden_0.10.2")) {
    const std::string file = absl::StrCat("/", name, ".lowered.hlo");
    const std::string after = absl::StrCat("testing/jax/golden", file);
    if (!std::filesystem::exists(after)) continue;
    const Counts counts =
        CountsOf(Record(name, TextOf(absl::StrCat("testing/jax/golden_0.10.2", file))),
                 Record(name, TextOf(after)));
    all.tensors += counts.tensors;
    all.now += counts.now;
    all.found += counts.found;
    all.resharded += counts.resharded;
    ++modules;
    if (counts.found != static_cast<int>(counts.tensors) || counts.resharded > 0) {
      std::cout << name << ": " << ToString(counts) << "\n";
    }
  }
  std::cout << "0.10.2 and 0.12.0.1: " << modules << " modules, " << ToString(all) << "\n";
  EXPECT_GE(modules, 30);
  EXPECT_GE(all.found * 1000, static_cast<int>(all.now) * 995);
  EXPECT_EQ(all.resharded, 0u);
}

TEST(MatchingTest, WhatDevelopersDo) {
  struct Case {
    const char* before;
    const char* after;
    const char* expected;  // with metadata and without
  };
  for (const Case& c : {
           Case{"step", "step", "109 recorded, 109 now, 109 found, 0 sharded otherwise"},
           Case{"step", "renamed", "109 recorded, 109 now, 109 found, 0 sharded otherwise"},
           Case{"step", "scaled", "109 recorded, 111 now, 109 found, 0 sharded otherwise"},
           Case{"step", "layer_more", "109 recorded, 142 now, 109 found, 0 sharded otherwise"},
           Case{"step", "layer_less", "109 recorded, 76 now, 76 found, 0 sharded otherwise"},
           Case{"step", "batch_doubled", "109 recorded, 109 now, 109 found, 0 sharded otherwise"},
           Case{"step", "gelu_and_clip", "109 recorded, 209 now, 99 found, 0 sharded otherwise"},
           Case{"scan", "scan_layer_more", "128 recorded, 128 now, 128 found, 0 sharded otherwise"},
       }) {
    Recording golden = RecordVersion(c.before), now = RecordVersion(c.after);
    EXPECT_EQ(ToString(CountsOf(golden, now)), c.expected) << c.after;
    DropMetadata(&golden);
    DropMetadata(&now);
    EXPECT_EQ(ToString(CountsOf(golden, now)), c.expected) << c.after << " without metadata";
  }
}

// The argument that an entry reads, empty if it reads none: the weights of its layer.
std::string WeightsOf(const Recording& recording, const Entry& entry) {
  for (const int operand : entry.operands) {
    if (operand < 0) continue;
    const Entry& read = recording.entries[static_cast<size_t>(operand)];
    if (read.opcode == kArgument) return read.op_name;
  }
  return entry.opcode == kArgument ? entry.op_name : "";
}

// Found means found: what reads the weights of a layer is what did so before.
TEST(MatchingTest, LayersAreNotMistakenForEachOther) {
  const Recording golden = RecordVersion("step");
  for (const char* after : {"layer_more", "layer_less"}) {
    const Recording now = RecordVersion(after);
    const Matching match = Match(golden.entries, now.entries);
    int with_weights = 0;
    for (size_t e = 0; e < golden.entries.size(); ++e) {
      if (match.of_before[e] < 0) continue;
      const Entry& partner = now.entries[static_cast<size_t>(match.of_before[e])];
      const std::string weights = WeightsOf(golden, golden.entries[e]);
      EXPECT_EQ(weights, WeightsOf(now, partner)) << golden.entries[e].name;
      with_weights += !weights.empty();
    }
    EXPECT_GE(with_weights, 20) << after;
  }
}

}  // namespace
}  // namespace tessera::sharding::golden
