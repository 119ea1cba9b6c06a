#!/usr/bin/env bash
# Stops the cluster that up.sh started, and forgets its jobs.
set -euo pipefail
if ! grep -qs "tests/slurm/up.sh" /etc/slurm/slurm.conf; then
    echo "Error: tests/slurm/up.sh did not start a cluster here." >&2
    exit 1
fi
for daemon in slurmd slurmctld munged; do
    pkill -x "$daemon" || continue
    for _ in $(seq 50); do
        pgrep -x "$daemon" >/dev/null || break
        sleep 0.2
    done
    pkill -KILL -x "$daemon" || true
done
rm -rf /var/lib/algos-slurm /etc/slurm/slurm.conf
