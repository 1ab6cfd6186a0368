#!/usr/bin/env bash
# Brings the arm64 libraries that the cross build links into FOLDER: Debian's packages, unpacked and not installed.
#
#   tools/arm64_libraries.sh [FOLDER]     build/arm64-libraries unless given; where cmake/aarch64-linux-gnu.cmake looks
#
# apt gets its own lists and architecture, so dpkg needs no foreign architecture and no package of this machine changes.
# Only static libraries are used: their packages stand alone, and qemu finds nothing to load.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PACKAGES=(libpcre2-dev libutf8proc-dev libssl-dev)
folder=$(realpath -m "${1:-build/arm64-libraries}")
[ -e "$folder/complete" ] && exit 0

rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/packages"
cat >"$folder/apt.conf" <<CONF
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
CONF
export APT_CONFIG=$folder/apt.conf
apt-get update -q
(cd "$folder/packages" && apt-get download -q "${PACKAGES[@]}")
for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder"; done
rm -rf "$folder/apt" "$folder/packages"
touch "$folder/complete"
