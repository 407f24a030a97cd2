#include <iostream>

#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
// Prints docs/reference.md.
int main() { std::cout << tessera::pipeline::ReferencePage(tessera::pipeline::CurrentVerbs()); }
