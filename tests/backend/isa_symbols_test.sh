#!/usr/bin/env bash
# isa_symbols_test.sh NM ISA OBJECT...
# An inline function that is compiled with AVX-512 flags and left in its object as a weak symbol may be the copy that
# the linker takes for the whole program, which then dies on older CPUs. So all code of an instruction set's objects
# is in the namespace hb::cpu::ISA.
set -euo pipefail
nm=$1 isa=$2
shift 2
status=0
for object in "$@"; do
  code=$("$nm" --defined-only "$object" | sed -nE 's/^[0-9a-f]+ [TWi] //p')
  if [[ -z $code ]]; then
    echo "$object: no code with a name; is it an object file of the kernels?"
    exit 1
  fi
  leaks=$(grep -vE "^_Z+NK?2hb3cpu${#isa}$isa" <<<"$code" || true)
  if [[ -n $leaks ]]; then
    echo "$object: code outside hb::cpu::$isa; mark it HB_ALWAYS_INLINE or move it into that namespace:"
    c++filt <<<"$leaks" | sed 's/^/  /'
    status=1
  fi
done
exit $status
