#!/usr/bin/env bash
# install_test.sh BUILD EXAMPLES WRITE_TINY_MODEL: installs BUILD, moves the tree, builds the examples against it with
# find_package and with pkg-config, and runs them. CC, CXX and NM are the build's; HB_SANITIZE its sanitizer.
set -euo pipefail
build=$1 examples=$2 write_tiny_model=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}

cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved
library=$(find "$prefix" -name libhalfbyte.so)
[[ -n $library ]] || fail "no libhalfbyte.so was installed"
if grep -rlE "$work/first|$build" "$prefix" --include='*.cmake' --include='*.pc' --include='*.h*'; then
  fail "the files above name a path of the build or of the prefix"
fi

others=$("$NM" -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | grep -v '^hb_' || true)
[[ -z $others ]] || fail "libhalfbyte.so shows more than hb_*: $others"
declared=$(grep -ohE '\bhb_[a-z_]+\(' "$prefix/include/halfbyte/halfbyte.h" | tr -d '(' | sort -u)
shown=$("$NM" -D --defined-only "$library" | awk '{ print $3 }' | grep '^hb_' | sort -u)
[[ $declared == "$shown" ]] || fail "halfbyte.h and libhalfbyte.so differ: $(diff <(echo "$declared") <(echo "$shown"))"

sanitize=()
[[ -z $HB_SANITIZE ]] || sanitize=("-fsanitize=$HB_SANITIZE")
cmake -S "$examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_FLAGS="${sanitize[*]}" -DCMAKE_CXX_FLAGS="${sanitize[*]}" >"$work/cmake.log"
cmake --build "$work/examples" >"$work/build.log" || { cat "$work/build.log"; fail "find_package"; }

PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs halfbyte)"
strict=(-Wall -Wextra -Wpedantic -Werror "${sanitize[@]}")
"$CC" -std=c99 "${strict[@]}" "$examples/generate.c" -o "$work/pc_c" "${flags[@]}"
"$CXX" -std=c++20 "${strict[@]}" "$examples/generate.cpp" -o "$work/pc_cpp" "${flags[@]}"

"$write_tiny_model" "$work/tiny.gguf"
LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
for program in examples/generate_c examples/generate_cpp pc_c pc_cpp; do
  "$work/$program" "$work/tiny.gguf" "Hello" 8 >"$work/out" || fail "$program"
  tail -1 "$work/out" | grep -qE '^[0-9]+ tokens, logits [0-9a-f]{16}$' || fail "$program printed: $(cat "$work/out")"
  [[ ! -e $work/expected ]] || cmp "$work/expected" "$work/out" || fail "$program answers differently"
  cp "$work/out" "$work/expected"
  if "$work/$program" "$work/missing.gguf" "Hello" 2>"$work/err"; then fail "$program opened a missing file"; fi
  grep -q '^error: not found: .*missing\.gguf' "$work/err" || fail "$program said: $(cat "$work/err")"
done
echo "installed, moved, built four ways: $(tail -1 "$work/expected")"
