#!/usr/bin/env bash
# Starts a Slurm cluster of one node on this machine, for tests: `sudo bash tests/slurm/up.sh`, then
#   snakemake --profile profiles/slurm --slurm-status-command squeue
# Debian's packages, no systemd, no accounting database. `tests/slurm/down.sh` stops it.
set -euo pipefail

state=/var/lib/algos-slurm
conf=/etc/slurm/slurm.conf # where all of Slurm looks; jobs do not inherit SLURM_CONF
mark="# A cluster of one node for tests, made by tests/slurm/up.sh"

if [ "$(id -u)" != 0 ]; then
    echo "Error: only root can start Slurm's daemons and install their packages; run it as root (sudo)." >&2
    exit 1
fi
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge
fi
if [ -s "$conf" ] && ! grep -qF "$mark" "$conf"; then
    echo "Error: this machine belongs to a Slurm cluster ($conf); tests would change it. Use another machine." >&2
    exit 1
fi

is_up() {
    timeout 5 sinfo --noheader -o %T 2>/dev/null | grep -qE "idle|mixed|alloc"
}
if is_up; then
    exit 0
fi

# Munge signs what the daemons say to one another. It refuses a key that others can read.
install -d -o munge -g munge -m 0700 /etc/munge /var/lib/munge /var/log/munge
install -d -o munge -g munge -m 0755 /run/munge
if [ ! -s /etc/munge/munge.key ]; then
    head -c 1024 /dev/urandom > /etc/munge/munge.key
fi
chown munge:munge /etc/munge/munge.key
chmod 0400 /etc/munge/munge.key
pgrep -x munged >/dev/null || runuser -u munge -- munged

# Without accounting only squeue knows how a job ended, so it keeps jobs for a day (MinJobAge).
host=$(hostname -s)
memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
mkdir -p "$state"/{ctld,d} "$(dirname "$conf")"
cat > "$conf" <<EOF
$mark
ClusterName=algos
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
MinJobAge=86400
MaxJobCount=20000
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc --all) RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=500
EOF
pgrep -x slurmctld >/dev/null || slurmctld
pgrep -x slurmd >/dev/null || slurmd
give_up=$((SECONDS + 30))
while [ $SECONDS -lt $give_up ]; do
    if is_up; then
        exit 0
    fi
    sleep 0.5
done
echo "Error: Slurm did not come up in half a minute; see $state/slurmctld.log and $state/slurmd.log." >&2
exit 1
