#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
rm -rf validated
