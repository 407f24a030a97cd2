"""Files as texts in a program."""

def embedded_text(name, srcs, function):
    """A C++ source in which `absl::string_view function()` returns the files, one after the other."""
    namespace, _, short = function.rpartition("::")
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [name + ".cc"],
        cmd = """
{
  echo '#include "absl/strings/string_view.h"'
  echo 'namespace %s {'
  echo 'absl::string_view %s();'
  echo 'absl::string_view %s() {'
  echo '  static constexpr char kText[] ='
  for file in $(SRCS); do
    echo 'R"text~text('
    cat $$file
    echo ')text~text"'
  done
  echo ';'
  echo '  return absl::string_view(kText, sizeof(kText) - 1);'
  echo '}'
  echo '}'
} > $@
""" % (namespace, short, short),
    )
