// The halfbyte command.
#include "apps/commands.h"

int main(int argc, char** argv) {
  hb::CommandLine line;
  hb::add_all_commands(line);
  return line.run(argc, argv);
}
