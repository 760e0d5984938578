"""Trains the exported run with TRL's GRPOTrainer: python train.py, on one GPU, several or several nodes (launch.py). Begun again it goes on from its last checkpoint.

Every line on stdout that begins with { is one record of progress; everything else is for people."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import launch
import yaml

HERE = Path(__file__).resolve().parent


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a folder, or any causal model of the Hub by name; that of grpo.yaml where left out")
    parser.add_argument("--data", default=str(HERE / "train.jsonl"), help="JSON lines with prompt (messages) and answer")
    parser.add_argument("--out", default=str(HERE / "output"), help="where the model and the checkpoints go")
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("--report-to", help="tensorboard, wandb, mlflow or others of transformers, with commas between them")
    parser.add_argument("--processes", type=int, help="processes of each node, instead of one for each GPU")
    parser.add_argument("--vllm", action="store_true", help="generate with vLLM beside the trainer")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args(given)


def plan_of():
    return yaml.safe_load((HERE / "grpo.yaml").read_text(encoding="utf-8"))


# Before anything is loaded that only training needs.
if __name__ == "__main__":
    launch.start(plan_of()["grpo"]["gradient_accumulation_steps"], arguments())

import saves  # noqa: E402
import torch  # noqa: E402
from datasets import load_dataset  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback, TrainerState  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402


def record(entry):
    """The figures of a step, of an entry of the trainer's log."""
    return {key: value for key, value in entry.items() if key != "step" and isinstance(value, (int, float))}


class Records(TrainerCallback):
    """Tells each step's figures as one line."""

    def on_log(self, args, state, control, logs=None, **_):
        if state.is_world_process_zero and logs and "reward" in logs:
            print(json.dumps({"step": state.global_step, "wallTime": time.time(), "metrics": record(logs)}), flush=True)


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


def options_of(given, plan):
    """GRPOConfig's, for this process and its device."""
    options = for_processes(plan["grpo"], int(os.environ.get("WORLD_SIZE", "1")))
    # Autocast alone: the weights and the optimizer stay float32.
    options.setdefault("bf16", not given.cpu and torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False))
    if given.max_steps is not None:
        options["max_steps"] = given.max_steps
    if given.report_to is not None:
        options["report_to"] = given.report_to.split(",")
    if given.vllm:
        options |= {"use_vllm": True, "vllm_mode": "colocate"}
    return options


def trainer_of(given, *following):
    """The trainer, and every how many steps the lab evaluates; 0 where it does that by itself. Callbacks that follow it are told which it is."""
    plan = plan_of()
    options = options_of(given, plan)
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
        callbacks=[Records(), *([evaluations] if evaluations.every else []), *following],
        **adapters(plan.get("lora")),
        **held,
    )
    if in_lab:
        trainer.lab = lab.Lab()
    for each in (evaluations, *following):
        each.trainer = trainer
    if trainer.accelerator.is_main_process:
        for line in told:
            print(line)
    return trainer, evaluations.every


def go_on(trainer, checkpoint, state):
    """Trains to the last step, from a checkpoint where there is one."""
    if state.get("global_step", 0) < trainer.args.max_steps:
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    else:
        # All that was left to do is to write the model; train() would take a step more.
        trainer._load_from_checkpoint(str(checkpoint))
        trainer.state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))


def main(given):
    plan = plan_of()
    os.environ.setdefault("TENSORBOARD_LOGGING_DIR", str(Path(given.out, "tensorboard")))
    ending, reference = saves.Ending(), saves.Reference() if plan["grpo"].get("sync_ref_model") else None
    trainer, evaluates = trainer_of(given, ending, *([reference] if reference else []))
    place = saves.Place(given.out, saves.begun_with(plan, *model_named(given.model, plan), given.data))
    checkpoint, state = place.agreed(trainer.accelerator, [saves.REFERENCE] if reference else [])
    if trainer.accelerator.is_main_process:
        told = [{"step": entry["step"], "metrics": record(entry)} for entry in state.get("log_history", []) if "reward" in entry]
        print(json.dumps({"from": state.get("global_step", 0), "steps": told}), flush=True)
    if reference:
        reference.checkpoint = checkpoint
    if evaluates and checkpoint is None:
        trainer.evaluate_in_lab(0)
    ending.listen()
    go_on(trainer, checkpoint, state)
    if trainer.state.global_step < trainer.args.max_steps:
        if trainer.accelerator.is_main_process:
            print(f"ended at step {trainer.state.global_step} of {trainer.args.max_steps}, as it was told to: the same command goes on", flush=True)
        sys.exit(143)
    if evaluates:
        trainer.evaluate_in_lab(trainer.state.global_step)
    trainer.save_model(given.out)
    trainer.save_state()


if __name__ == "__main__":
    main(arguments())
