#!/bin/sh
# One command for one GPU, several and several nodes. Nodes are those of srun (one task on each), or of NODES, NODE_RANK and
# MASTER_ADDR; where RAY_ADDRESS names a Ray that runs, NODES says how many of its nodes are used. Settings of verl can follow.
set -e
HERE=$(cd "$(dirname "$0")" && pwd)
NODES=${NODES:-${SLURM_STEP_NUM_NODES:-1}}
GPUS=${GPUS:-$(python3 -c 'import torch; print(torch.cuda.device_count())')}
[ "$GPUS" -gt 0 ] || { echo "no GPU is seen here, and verl needs one: GPUS=N says how many a node has" >&2; exit 1; }

if [ "$NODES" -gt 1 ] && [ -z "$RAY_ADDRESS" ]; then
  HEAD=${MASTER_ADDR:-$(scontrol show hostnames "$SLURM_STEP_NODELIST" | head -n 1)}
  PORT=${MASTER_PORT:-6379}
  if [ "${NODE_RANK:-${SLURM_PROCID:-0}}" -ne 0 ]; then
    # The first node may come up later than this one, and is gone once it has trained.
    tries=60
    until ray start --address="$HEAD:$PORT"; do
      tries=$((tries - 1))
      [ "$tries" -gt 0 ] || exit 1
      sleep 5
    done
    while ray health-check --address="$HEAD:$PORT" >/dev/null 2>&1; do sleep 10; done
    ray stop
    exit 0
  fi
  ray start --head --port="$PORT"
  trap 'ray stop' EXIT
  export RAY_ADDRESS="$HEAD:$PORT"
  until [ "$(python3 -c 'import ray; ray.init(log_to_driver=False); print(sum(each["Alive"] for each in ray.nodes()))' | tail -n 1)" -ge "$NODES" ]; do
    sleep 5
  done
fi

python3 -m verl.trainer.main_ppo --config-path="$HERE" --config-name=verl \
  data.train_files="$HERE/train.parquet" data.val_files="$HERE/eval.parquet" actor_rollout_ref.model.path="$HERE/model" \
  reward.custom_reward_function.path="$HERE/reward.py" trainer.default_local_dir="$HERE/output" \
  trainer.nnodes="$NODES" trainer.n_gpus_per_node="$GPUS" trainer.logger="[console${LOGGERS:+,$LOGGERS}]" "$@"
