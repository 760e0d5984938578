"""One command for one GPU, several and several nodes: how many processes train here, and how they find each other, by the environment.

A process of torchrun, of accelerate or of srun with a task for each GPU trains as it is. Any other becomes torchrun with a process for each
GPU of this node; the nodes are those of srun (one task on each), or of NNODES, NODE_RANK and MASTER_ADDR (PET_NNODES and so on of Kubeflow)."""

import os
import re
import signal
import sys

PORT = 29500


def first_host(nodes):
    """The first of Slurm's list of nodes, such as node[01-04,07],other."""
    return re.sub(r"\[([^\],-]+)[^\]]*\]", r"\1", nodes).split(",")[0]


def meeting(environment, nodes):
    """Address and port of the first process of all."""
    listed = environment.get("SLURM_STEP_NODELIST")
    address = environment.get("MASTER_ADDR") or environment.get("PET_MASTER_ADDR") or (first_host(listed) if listed else None)
    if address is None:
        raise SystemExit(f"{nodes} nodes need MASTER_ADDR, the address of the first one, in the environment of each")
    # Two trainings of one node may not share it.
    own = PORT if listed is None else 20_000 + (int(environment.get("SLURM_JOB_ID", "0")) * 7 + int(environment.get("SLURM_STEP_ID", "0"))) % 20_000
    return address, environment.get("MASTER_PORT") or environment.get("PET_MASTER_PORT") or str(own)


def nodes_of(environment):
    """How many nodes train, and which of them this is."""
    if "SLURM_STEP_NUM_TASKS" in environment:
        return int(environment["SLURM_STEP_NUM_TASKS"]), int(environment["SLURM_PROCID"])
    told = [environment.get(name) or environment.get(f"PET_{name}") for name in ("NNODES", "NODE_RANK")]
    return int(told[0] or 1), int(told[1] or 0)


def processes_here(asked, gpus, groups, nodes):
    """Processes of each node: those that were asked for, or one for each GPU, as many as the groups of an optimizer step are divided among."""
    if asked is not None:
        return asked
    fitting = [count for count in range(max(1, gpus), 0, -1) if groups % (count * nodes) == 0]
    if not fitting:
        raise SystemExit(f"{groups} groups of an optimizer step cannot be divided among {nodes} nodes")
    return fitting[0]


def planned(environment, gpus, groups, asked=None):
    """Variables that this process lacks, and the arguments of the torchrun that takes its place; None where it trains itself."""
    if "LOCAL_RANK" in environment or any(name.startswith("ACCELERATE_") for name in environment):
        return {}, None
    tasks, slurm_nodes = (int(environment.get(f"SLURM_STEP_NUM_{what}", "1")) for what in ("TASKS", "NODES"))
    if tasks > slurm_nodes:
        address, port = meeting(environment, slurm_nodes)
        # With a GPU bound to each task there is but the first one to see.
        place = int(environment["SLURM_LOCALID"]) % (gpus or tasks)
        ranks = {"RANK": environment["SLURM_PROCID"], "LOCAL_RANK": str(place), "WORLD_SIZE": str(tasks)}
        return {**ranks, "MASTER_ADDR": address, "MASTER_PORT": port}, None
    nodes, node = nodes_of(environment)
    count = processes_here(asked, gpus, groups, nodes)
    if nodes == count == 1:
        return {}, None
    if nodes == 1:
        return {}, ["--standalone", f"--nproc-per-node={count}"]
    address, port = meeting(environment, nodes)
    where = [f"--nnodes={nodes}", f"--node-rank={node}", f"--master-addr={address}", f"--master-port={port}"]
    return {}, [*where, f"--nproc-per-node={count}"]


def start(groups, given):
    """Becomes the launcher where several processes are to train."""
    import torch

    gpus = 0 if given.cpu else torch.cuda.device_count()
    lacking, launcher = planned(os.environ, gpus, groups, given.processes)
    os.environ.update(lacking)
    if launcher is None:
        return
    print(f"torchrun {' '.join(launcher)} ({gpus} GPUs here, {groups} groups in an optimizer step)", flush=True)
    # Each process saves by itself when it is told to end, which takes longer than torchrun would wait.
    os.environ.setdefault("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "3600")
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", *launcher, *sys.argv])
