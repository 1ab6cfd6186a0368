// A package index without a network: a python3 in front of PATH whose pip copies wheels out of a folder.
#pragma once

#include <zip.h>

#include <string>

#include "fetch/temp_folder.h"

namespace hb {

class FakeIndex {
 public:
  FakeIndex()
      : path_("PATH", (folder_ / "bin") + ":" + ::getenv("PATH")), index_("FAKE_INDEX", folder_.path()) {
    const std::string python = folder_ / "bin/python3";
    write_file(python, kPython);
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  }

  // A wheel that `pip download NAME==VERSION` finds.
  void add(const std::string& requirement, const std::string& member, const std::string& content) const {
    zip_t* archive = zip_open(wheel(requirement).c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    const auto index =
        zip_file_add(archive, member.c_str(), zip_source_buffer(archive, content.data(), content.size(), 0),
                     ZIP_FL_OVERWRITE);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    zip_close(archive);
  }
  std::string wheel(const std::string& requirement) const { return folder_ / (requirement + ".whl"); }

  // What pip was asked to download so far, one requirement a line.
  std::string calls() const { return read_file(folder_ / "calls"); }

 private:
  static constexpr const char* kPython = R"(#!/bin/sh
if [ "$3" = --version ]; then exit ${FAKE_PIP_VERSION_EXIT:-0}; fi
while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest=$2; shift; done
echo "$1" >> "$FAKE_INDEX/calls"
[ -n "$FAKE_PIP_SLEEP" ] && exec sleep "$FAKE_PIP_SLEEP"
[ -f "$FAKE_INDEX/$1.whl" ] && exec cp "$FAKE_INDEX/$1.whl" "$dest"
echo "Looking in indexes"; echo "ERROR: No matching distribution found for $1"; echo "a hint"
exit 1
)";

  TempFolder folder_;
  ScopedVariable path_;
  ScopedVariable index_;
};

}  // namespace hb
