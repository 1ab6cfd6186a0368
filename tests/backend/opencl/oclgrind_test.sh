#!/bin/sh
# Runs a program under Oclgrind, which must find no race, no read or write outside of a buffer and no use of
# uninitialised memory, and its result must be right. -cl-opt-disable: Oclgrind reads optimised code wrongly.
#   oclgrind_test.sh OCLGRIND PROGRAM LOG
set -eu
rm -f "$3"
"$1" --build-options -cl-opt-disable --data-races --uninitialized --max-errors 20 --log "$3" "$2"
[ ! -s "$3" ] || { cat "$3"; exit 1; }
