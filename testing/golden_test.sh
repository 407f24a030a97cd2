#!/usr/bin/env bash
# The golden pairs of testing/jax/golden through the driver; no network, no jax.
#
#   golden_test.sh CONFORMANCE FOLDER
exec "$1" --show=10 "$2"
