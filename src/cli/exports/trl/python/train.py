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

HERE = Path(__file__).parent


class Records(TrainerCallback):
    """Tells each step's figures as one line."""

    def on_log(self, args, state, control, logs=None, **_):
        if state.is_world_process_zero and logs and "reward" in logs:
            numbers = {key: value for key, value in logs.items() if isinstance(value, (int, float))}
            print(json.dumps({"step": state.global_step, "wallTime": time.time(), "metrics": numbers}), flush=True)


class Evaluations(TrainerCallback):
    """Has the lab evaluate every so many steps."""

    def __init__(self, every):
        self.every, self.trainer = every, None

    def on_step_end(self, args, state, control, **_):
        if state.global_step % self.every == 0 and state.global_step < state.max_steps:
            self.trainer.evaluate_in_lab(state.global_step)


def for_processes(options, processes):
    """The options of one process, divided among several, so that each step sees the same number of completions."""
    accumulation = options["gradient_accumulation_steps"]
    if accumulation % processes != 0:
        raise SystemExit(f"{accumulation} groups of an optimizer step cannot be divided among {processes} processes")
    shared = {key: options[key] // processes for key in ("gradient_accumulation_steps", "steps_per_generation")}
    return {**options, **shared}


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a folder, or any causal model of the Hub by name; that of grpo.yaml where left out")
    parser.add_argument("--data", default=str(HERE / "train.jsonl"), help="JSON lines with prompt (messages) and answer")
    parser.add_argument("--out", default=str(HERE / "output"))
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("--vllm", action="store_true", help="generate with vLLM beside the trainer")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args(given)


def held_here(plan, tokenizer):
    """What GRPOTrainer is given where the programs here hold and score conversations, once they have given the lab's numbers."""
    import rewards

    told = [f"{rewards.check(HERE)} reward values agree with the lab's"]
    several = {}
    if (HERE / "tools.json").exists():
        # Only a run with tools has this file.
        import conversation

        told.append(f"{conversation.check(HERE, conversation.Renderer(tokenizer))} conversations go as in the lab")
        several = {"rollout_func": conversation.rollout, "environment_factory": conversation.Environment}
    functions = [rewards.reward_function(name, tokenizer.eos_token_id) for name in plan["rewards"]]
    return {**several, "reward_funcs": functions}, told


def held_by_lab(plan):
    """The same where the lab holds and scores them."""
    import lab

    return {"rollout_func": lab.rollout, "reward_funcs": [lab.reward_function(name) for name in plan["rewards"]]}


def adapters(settings):
    """PEFT's configuration of the adapters that are trained; nothing where all weights are."""
    if settings is None:
        return {}
    from peft import LoraConfig

    return {"peft_config": LoraConfig(task_type="CAUSAL_LM", **settings)}


def model_named(given, plan):
    """A folder or the name of a model of the Hub, and its revision."""
    named = given if given is not None else plan["model"]
    beside = HERE / named
    return (str(beside) if beside.exists() else named), (None if given is not None else plan.get("revision"))


def trainer_of(given):
    """The trainer, and every how many steps the lab evaluates; 0 where it does that by itself."""
    plan = yaml.safe_load((HERE / "grpo.yaml").read_text(encoding="utf-8"))
    options = for_processes(plan["grpo"], int(os.environ.get("WORLD_SIZE", "1")))
    if given.max_steps is not None:
        options["max_steps"] = given.max_steps
    if given.vllm:
        options |= {"use_vllm": True, "vllm_mode": "colocate"}

    name, revision = model_named(given.model, plan)
    tokenizer = AutoTokenizer.from_pretrained(name, revision=revision, padding_side="left")
    in_lab = (HERE / "lab.json").exists()
    held, told = (held_by_lab(plan), []) if in_lab else held_here(plan, tokenizer)
    kind = GRPOTrainer
    if in_lab:
        import lab

        kind = lab.LabTrainer
    if "rollouts" in plan:
        import rollouts

        kind = rollouts.telling(kind, plan["rollouts"])
    evaluations = Evaluations(plan.get("evaluate_every") or 0)
    trainer = kind(
        model=AutoModelForCausalLM.from_pretrained(name, revision=revision, dtype=plan.get("dtype", "float32")),
        args=GRPOConfig(output_dir=given.out, reward_weights=list(plan["rewards"].values()), use_cpu=given.cpu, **options),
        train_dataset=load_dataset("json", data_files=given.data, split="train"),
        processing_class=tokenizer,
        callbacks=[Records(), *([evaluations] if evaluations.every else [])],
        **adapters(plan.get("lora")),
        **held,
    )
    if in_lab:
        trainer.lab = lab.Lab()
    evaluations.trainer = trainer
    if trainer.accelerator.is_main_process:
        for line in told:
            print(line)
    return trainer, evaluations.every


def main():
    given = arguments()
    trainer, evaluates = trainer_of(given)
    if evaluates:
        trainer.evaluate_in_lab(0)
    trainer.train()
    if evaluates:
        trainer.evaluate_in_lab(trainer.state.global_step)
    trainer.save_model(given.out)


if __name__ == "__main__":
    main()
