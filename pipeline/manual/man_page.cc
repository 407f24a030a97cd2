// Roff takes a line that begins with a dot or an apostrophe for a command. It takes a backslash for
// an escape, and a plain dash for a hyphen that may break. All text goes through Roff(), which
// shields them.
//
// Tested by manual_test.cc, and by testing/archive/run.sh with `man --warnings` where there is one.

#include "tessera/pipeline/manual/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/manual/verb_words.h"
#include "tessera/pipeline/version.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::pipeline::manual {
namespace {

std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  const bool is_command = !out.empty() && (out[0] == '.' || out[0] == '\'');
  return is_command ? absl::StrCat("\\&", out) : out;
}

std::string Sentence(absl::string_view text, absl::string_view more) {
  return absl::StrCat(Roff(text), Roff(more), "\n");
}

std::string FlagEntry(const Flag& flag) {
  const std::string more = flag.default_value.empty()
                               ? std::string(flag.repeated ? "; may be repeated" : "")
                               : absl::StrCat(" [", flag.default_value, "]");
  return absl::StrCat(".TP\n.B ", Roff(FlagUsage(flag)), "\n", Sentence(flag.help, more));
}

std::string VerbSection(const Verb& verb) {
  std::string page =
      absl::StrCat(".SS ", Roff(verb.name), "\n.B ", Roff(Usage(verb)), "\n.PP\n",
                   Sentence(verb.description.empty() ? verb.summary : verb.description, ""));
  for (const Flag& flag : verb.flags) absl::StrAppend(&page, FlagEntry(flag));
  for (const Example& example : verb.examples) {
    absl::StrAppend(&page, ".PP\n.nf\n    ", Roff(example.command), "\n.fi\n.br\n",
                    Sentence(example.what, ""));
  }
  return page;
}

std::string Synopsis(const std::vector<Verb>& verbs) {
  std::string page =
      ".SH SYNOPSIS\n.B tessera\n.I VERB FILE\n[\\fINAME\\fR ...] [\\fIflags\\fR]\n.PP\n";
  for (const Verb& verb : verbs) {
    absl::StrAppend(&page, ".TP\n.B ", Roff(verb.name), "\n", Sentence(verb.summary, ""));
  }
  return page;
}

constexpr char kEnd[] = R"(.SH EXIT STATUS
0 done; 1 a finding, such as a golden file that does not match; 2 bad usage or input.
.SH SEE ALSO
.B tessera VERB \-\-help
)";

}  // namespace

std::string ManPage(const std::vector<Verb>& verbs) {
  std::string page = absl::StrCat(
      ".TH TESSERA 1 \"\" \"tessera ", kVersion, "\" \"User Commands\"\n.SH NAME\ntessera \\- ",
      "what shardings XLA will give a module, why, and what they cost\n", Synopsis(verbs),
      ".SH DESCRIPTION\nReads HLO (text, or a file in binary form; \\- is standard input) and "
      "says ",
      "which shardings the ShardyXLA pass of jaxlib ", sharding::reference::kNewest,
      " will give it, or that of another release with\n.BR \\-\\-reference .\n",
      "A file of\n.B \\-o\nis replaced only when it has been written whole.\n.SH VERBS\n");
  for (const Verb& verb : verbs) absl::StrAppend(&page, VerbSection(verb));
  return absl::StrCat(page, kEnd);
}

}  // namespace tessera::pipeline::manual
