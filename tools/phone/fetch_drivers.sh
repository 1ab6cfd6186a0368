#!/usr/bin/env bash
# Brings Mesa's arm64 Vulkan drivers, which hold the compilers of phone GPUs, into the user's cache folder: Debian's
# packages, unpacked and not installed. Prints the folder that has them.
#
#   tools/phone/fetch_drivers.sh [SUITE [EXTRA]]      Debian trixie and trixie-backports unless given
#
# apt gets its own lists and state, so nothing of this machine changes, and checks every signature. What was downloaded
# before an interruption is not downloaded again.
set -euo pipefail

suite=${1:-trixie}
extra=${2-${suite}-backports}
folder=${XDG_CACHE_HOME:-$HOME/.cache}/halfbyte/phone-drivers/$suite${extra:+-$extra}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
PACKAGES=(
  libc6 libgcc-s1 libstdc++6 zlib1g libzstd1 libexpat1 libdrm2 libffi8 libdisplay-info2 libvulkan1 libwayland-client0
  libx11-6 libx11-xcb1 libxcb1 libxcb-dri3-0 libxcb-present0 libxcb-randr0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0
  libxau6 libxdmcp6 libbsd0 libmd0 libxshmfence1
)

if [ -e "$folder/complete" ]; then
  echo "$folder"
  exit 0
fi

# The mirror that this machine uses anyway.
mirror=$(cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs: *//p' | head -n 1)
[ -n "$mirror" ] || mirror=$(sed -n 's/^deb \(\[.*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
if [ -z "$mirror" ] || [ ! -e "$keyring" ]; then
  echo "fetch_drivers: no Debian mirror in apt's sources, or no $keyring" >&2
  exit 1
fi

mkdir -p "$folder"/apt/{lists/partial,cache/archives/partial,parts} "$folder/packages" "$folder/root/usr/lib"
exec 9>"$folder/lock"
flock 9 # two tests at once: the second waits, and finds it complete
if [ -e "$folder/complete" ]; then
  echo "$folder"
  exit 0
fi
: >"$folder/apt/status"
for name in $suite $extra; do
  echo "deb [arch=arm64 signed-by=$keyring] $mirror $name main"
done >"$folder/apt/sources.list"
cat >"$folder/apt.conf" <<CONF
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$folder/apt";
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "$folder/apt/parts";
Dir::Etc::preferencesparts "$folder/apt/parts";
CONF
export APT_CONFIG=$folder/apt.conf
{
  apt-get update -q -o APT::Update::Error-Mode=any
  cd "$folder/packages"
  apt-get download -q "${PACKAGES[@]}" "mesa-vulkan-drivers${extra:+/$extra}"
  ln -sfn usr/lib "$folder/root/lib"
  for package in *.deb; do dpkg-deb -x "$package" "$folder/root"; done
} >&2
rm -rf "$folder/apt" "$folder/packages"
touch "$folder/complete"
echo "$folder"
