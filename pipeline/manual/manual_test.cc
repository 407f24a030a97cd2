#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/manual/completion.h"
#include "tessera/pipeline/manual/man_page.h"
#include "tessera/pipeline/manual/verb_words.h"

namespace tessera::pipeline::manual {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Flag Valued(const char* value) { return Flag{"name", value, "", ""}; }

std::vector<Verb> Verbs() {
  Verb verb;
  verb.name = "echo";
  verb.summary = "says [what] it's told: again";
  verb.description = "Two lines.\n.Second begins with a dot, and has a \\.";
  verb.positionals = {{"FILE", "a file"}, {"NAME", "names", true, true}};
  verb.flags = {{"form", "keep|xla", "how it's written", "keep"},
                {"costs", "FILE|PRESET", "prices: a file", ""},
                {"add", "AXIS", "an axis", "", true},
                {"json", "", "for programs", ""}};
  verb.examples = {{"tessera echo a-b.hlo", "says so"}};
  return {verb};
}

TEST(VerbWords, ChoicesAreLowerCase) {
  EXPECT_THAT(Choices(Valued("keep|xla")), ElementsAre("keep", "xla"));
  EXPECT_THAT(Choices(Valued("FILE|PRESET")), IsEmpty());
  EXPECT_THAT(Choices(Valued("")), IsEmpty());
  EXPECT_TRUE(TakesFile(Valued("FILE|PRESET")));
  EXPECT_EQ(Usage(Verbs()[0]), "tessera echo FILE [NAME ...] [-o FILE]");
}

TEST(ManPage, ShieldsWhatRoffWouldObey) {
  const std::string page = ManPage(Verbs());
  EXPECT_THAT(page, HasSubstr("\n\\&.Second begins with a dot, and has a \\e."));
  EXPECT_THAT(page, HasSubstr(".TP\n.B \\-\\-form=keep|xla\nhow it's written [keep]\n"));
  EXPECT_THAT(page, HasSubstr("an axis; may be repeated\n"));
  EXPECT_THAT(page, HasSubstr("    tessera echo a\\-b.hlo\n"));
  EXPECT_THAT(page, HasSubstr(".TH TESSERA 1 \"\" \"tessera "));
}

TEST(Completion, OfBash) {
  const std::string text = BashCompletion(Verbs());
  EXPECT_THAT(text, HasSubstr("echo) echo \"--form= --costs= --add= --json -o --help\" ;;"));
  EXPECT_THAT(text, HasSubstr("echo--form) echo \"keep xla\" ;;"));
}

TEST(Completion, OfZsh) {
  const std::string text = ZshCompletion(Verbs());
  EXPECT_THAT(text, HasSubstr("'echo:says \\[what\\] it'\\''s told\\: again'"));
  EXPECT_THAT(text, HasSubstr("'--form=[how it'\\''s written]:keep|xla:(keep xla)'"));
  EXPECT_THAT(text, HasSubstr("'--costs=[prices\\: a file]:FILE|PRESET:_files'"));
  EXPECT_THAT(text, HasSubstr("'*--add=[an axis]:AXIS: '"));
  EXPECT_THAT(text, HasSubstr("'--json[for programs]'"));
}

TEST(Completion, OfFish) {
  const std::string text = FishCompletion(Verbs());
  EXPECT_THAT(text, HasSubstr("-l form -x -a 'keep xla' -d 'how it\\'s written'"));
  EXPECT_THAT(text, HasSubstr("-l costs -r -F -d"));
  EXPECT_THAT(text, HasSubstr("-l json -d 'for programs'"));
}

}  // namespace
}  // namespace tessera::pipeline::manual
