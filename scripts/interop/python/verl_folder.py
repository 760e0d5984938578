"""Holds an exported folder to verl without a GPU: its configuration, its data loader and the reward it would call."""

import json
import sys
from pathlib import Path

import pandas
import pyarrow.parquet
from hydra import compose, initialize_config_dir
from transformers import AutoTokenizer
from verl.utils.config import omega_conf_to_dataclass
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.utils.import_utils import load_extern_object

folder = Path(sys.argv[1]).resolve()
paths = [f"data.train_files={folder}/train.parquet", f"data.val_files={folder}/eval.parquet", f"actor_rollout_ref.model.path={folder}/model"]
paths.append(f"reward.custom_reward_function.path={folder}/reward.py")
with initialize_config_dir(str(folder), version_base=None):
    config = compose("verl", overrides=paths)
# Typed by verl's own dataclasses, which refuse fields and values that they do not know.
typed = [omega_conf_to_dataclass(part) for part in (config.algorithm, config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout)]
data = RLHFDataset(str(config.data.train_files), AutoTokenizer.from_pretrained(folder / "model"), config.data)
row = data[0]
problems = json.loads(Path(sys.argv[2]).read_text())
tables = {"pyarrow": pyarrow.parquet.read_table(folder / "train.parquet").to_pylist()}
frame = pandas.read_parquet(folder / "train.parquet")
tables["pandas"] = [{**each, "prompt": list(each["prompt"])} for each in frame.to_dict("records")]
for reader, rows in tables.items():
    if rows != problems:
        sys.exit(f"{reader} reads {next((a, b) for a, b in zip(rows, problems) if a != b)}, the lab has other problems")
if [each["raw_prompt"] for each in data] != [each["prompt"] for each in problems]:
    sys.exit("RLHFDataset gives other prompts than the lab's")
score = load_extern_object(str(config.reward.custom_reward_function.path), config.reward.custom_reward_function.name)
count = 0
for line in (folder / "rollouts.jsonl").read_text().splitlines():
    told = json.loads(line)
    if not told["completed"]:
        continue
    got = score(row["data_source"], told["text"], told["answer"], {})
    for name, value in told["parts"].items():
        if abs(got[name] - value) > 1e-9:
            sys.exit(f"{name} of {told['text']!r} is {got[name]}, the lab has {value}")
        count += 1
kinds = ", ".join(type(each).__name__ for each in typed)
print(
    f"hydra composes verl.yaml over ppo_trainer.yaml, and verl builds {kinds} from it. RLHFDataset, pandas and pyarrow read the lab's {len(data)} problems "
    f"from train.parquet, the first {row['raw_prompt'][0]['content']!r}. compute_score gives {count} values as the lab did. Nothing was trained: verl needs GPUs."
)
