"""Trains the exported run with TRL's GRPOTrainer: python train.py, or accelerate launch --config_file accelerate/....yaml train.py.

Every line on stdout that begins with { is one record of progress; everything else is for people."""

import argparse
import json
import os
import time
from pathlib import Path

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

import rewards

HERE = Path(__file__).parent


class Records(TrainerCallback):
    """Tells each step's figures as one line."""

    def on_log(self, args, state, control, logs=None, **_):
        if state.is_world_process_zero and logs and "reward" in logs:
            numbers = {key: value for key, value in logs.items() if isinstance(value, (int, float))}
            print(json.dumps({"step": state.global_step, "wallTime": time.time(), "metrics": numbers}), flush=True)


def for_processes(options, processes):
    """The options of one process, divided among several, so that each step sees the same number of completions."""
    accumulation = options["gradient_accumulation_steps"]
    if accumulation % processes != 0:
        raise SystemExit(f"{accumulation} groups of an optimizer step cannot be divided among {processes} processes")
    shared = {key: options[key] // processes for key in ("gradient_accumulation_steps", "steps_per_generation")}
    return {**options, **shared}


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default=str(HERE / "model"), help="a folder, or any causal model of the Hub by name")
    parser.add_argument("--data", default=str(HERE / "train.jsonl"), help="JSON lines with prompt (messages) and answer")
    parser.add_argument("--out", default=str(HERE / "output"))
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("--vllm", action="store_true", help="generate with vLLM beside the trainer")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args(given)


def trainer_of(given):
    """The trainer, once the programs here have given the lab's numbers."""
    agreed = rewards.check(HERE)
    plan = yaml.safe_load((HERE / "grpo.yaml").read_text())
    options = for_processes(plan["grpo"], int(os.environ.get("WORLD_SIZE", "1")))
    if given.max_steps is not None:
        options["max_steps"] = given.max_steps
    if given.vllm:
        options |= {"use_vllm": True, "vllm_mode": "colocate"}

    tokenizer = AutoTokenizer.from_pretrained(given.model, padding_side="left")
    several, held = {}, None
    if (HERE / "tools.json").exists():
        # Only a run with tools has this file.
        import conversation

        held = conversation.check(HERE, conversation.Renderer(tokenizer))
        several = {"rollout_func": conversation.rollout, "environment_factory": conversation.Environment}
    parts = plan["rewards"]
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(given.model, dtype="float32"),
        reward_funcs=[rewards.reward_function(name, tokenizer.eos_token_id) for name in parts],
        args=GRPOConfig(output_dir=given.out, reward_weights=list(parts.values()), use_cpu=given.cpu, **options),
        train_dataset=load_dataset("json", data_files=given.data, split="train"),
        processing_class=tokenizer,
        callbacks=[Records()],
        **several,
    )
    if trainer.accelerator.is_main_process:
        print(f"{agreed} reward values agree with the lab's")
        if held is not None:
            print(f"{held} conversations go as in the lab")
    return trainer


def main():
    given = arguments()
    trainer = trainer_of(given)
    trainer.train()
    trainer.save_model(given.out)


if __name__ == "__main__":
    main()
