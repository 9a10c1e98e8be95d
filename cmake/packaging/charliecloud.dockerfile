# SPDX-License-Identifier: Apache-2.0
# An image of the programs for a cluster, from Debian packages that are built (the context is their folder):
#   ch-image build --force -t cleave -f cmake/packaging/charliecloud.dockerfile build/release
#   ch-convert cleave cleave.sqfs
#   srun --mpi=pmi2 ch-run cleave.sqfs -- cleave-quicksort --size N=1G
FROM debian:bookworm
COPY cleave_*.deb /packages/
RUN apt-get update \
 && apt-get install -y --no-install-recommends /packages/cleave_*.deb \
 && rm -rf /packages /var/lib/apt/lists/*
