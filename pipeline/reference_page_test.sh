#!/usr/bin/env bash
# docs/reference.md is what the program prints.
#
#   reference_page_test.sh PROGRAM PAGE
"$1" | diff "$2" - && exit
echo "write it anew: ./bazelw run -c opt //pipeline:reference_page > docs/reference.md"
exit 1
