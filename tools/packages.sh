# shellcheck shell=bash
# The Debian packages halfbyte needs, and how they are installed. Sourced by ./quickstart and ./check.

# To build and run the halfbyte command. pip brings the model.
# shellcheck disable=SC2034
PACKAGES_BUILD=(
  g++ cmake ninja-build ccache pkg-config ca-certificates python3 python3-pip
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libpcre2-dev libutf8proc-dev
  libcurl4-openssl-dev libssl-dev libzip-dev libedit-dev
  glslc libvulkan-dev libvulkan-volk-dev opencl-c-headers
)

# To run every test, besides those above. chromium-common brings SwiftShader, a second Vulkan driver without a GPU, PoCL an
# OpenCL driver; oclgrind finds races and bad reads in kernels; qemu and the cross compiler also run the compilers of phone
# GPUs, which tools/phone fetches.
# shellcheck disable=SC2034
PACKAGES_CHECK=(
  git libgtest-dev libgmock-dev googletest libbenchmark-dev python3-jinja2 python3-venv
  clang-19 libclang-rt-19-dev llvm-19 clang-tidy-19 clang-format-19
  g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
  mesa-vulkan-drivers vulkan-validationlayers chromium-common spirv-tools
  pocl-opencl-icd ocl-icd-libopencl1 oclgrind
)

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
  local package installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p')
  for package in "$@"; do
    grep -qxF "$package" <<<"$installed" || echo "$package"
  done
}

# install_packages NAME...: installs what is missing, with sudo unless root. Says what it does.
# On a system without dpkg it only says what is needed: the build will tell what is missing.
install_packages() {
  local missing sudo=()
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian-like system. Needed are what Debian calls: $*" >&2
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "Installing Debian packages: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Neither root nor sudo. Ask an administrator for: apt-get install ${missing[*]}" >&2
      return 1
    fi
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -q </dev/null || return 1
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
}

# Python packages that tests compare with; those that miss one are skipped.
PYTHON_PEERS=(tokenizers sentencepiece gguf jinja2)

# python_with_peers: prints the path of a Python that has PYTHON_PEERS, from a virtual environment in the user's cache
# that is made once; or, with a reason on standard error, that of the system's Python.
python_with_peers() {
  local venv=${XDG_CACHE_HOME:-$HOME/.cache}/halfbyte/python-peers
  local has_all="import ${PYTHON_PEERS[*]/%/,}os"
  if ! "$venv/bin/python" -c "$has_all" 2>/dev/null; then
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --retries 1 --timeout 15 "${PYTHON_PEERS[@]}" &&
      "$venv/bin/python" -c "$has_all"; } >&2 </dev/null || {
      rm -rf "$venv"
      echo "No comparison with ${PYTHON_PEERS[*]}: pip could not install them (is the network there?)." >&2
      command -v python3
      return
    }
  fi
  echo "$venv/bin/python"
}
