"""A training that can be ended at any moment: which checkpoint it goes on from, and a last one before it ends where it is told to."""

import hashlib
import json
import os
import signal
import sys
from pathlib import Path

import torch
from accelerate.utils import broadcast_object_list
from transformers import TrainerCallback

REFERENCE = "reference.pt"
# What may be another when a training goes on.
FREE = {"max_steps", "save_steps", "save_total_limit", "report_to", "bf16", "fp16", "logging_steps", "gradient_checkpointing"}


def state_of(checkpoint):
    """What the trainer has saved last of all in a checkpoint; None where it was ended before."""
    try:
        return json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def newest(out, needed=()):
    """The newest whole checkpoint of a folder and its state; None and {} without one. A checkpoint that was being written is none."""
    found = sorted((int(path.name.split("-")[1]), path) for path in Path(out).glob("checkpoint-*") if path.name.split("-")[1].isdigit())
    for _, path in reversed(found):
        state = state_of(path)
        if state is not None and all((path / name).exists() for name in needed):
            return path, state
    return None, {}


def begun_with(plan, model, revision, data):
    """What makes a training another one: the settings, the model and the first problems."""
    grpo = {key: value for key, value in plan["grpo"].items() if key not in FREE}
    named = None if Path(model).is_dir() else [model, revision]
    known = hashlib.sha256(json.dumps([grpo, plan["rewards"], plan.get("lora"), named], sort_keys=True).encode())
    with open(data, "rb") as rows:
        known.update(b"".join(row for row, _ in zip(rows, range(256))))
    for path in sorted(Path(model).glob("*.safetensors")):
        with open(path, "rb") as weights:
            weights.seek(max(0, path.stat().st_size - 1_000_000))
            known.update(weights.read())
    return known.hexdigest()


class Place:
    """The folder that a training writes to, which no other may."""

    def __init__(self, out, begun):
        self.out, self.begun, self.lock = Path(out), begun, None

    def take(self):
        """Waits for a process that saves there before it ends, as one that a queue has replaced does."""
        self.out.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.out / ".lock", "w")
        try:
            import fcntl

            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another process that trains in {self.out}", flush=True)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        except (ImportError, OSError):
            # Neither Windows nor every network's disk has such locks.
            pass

    def begin(self, needed):
        """The checkpoint to go on from, and its state. Throws where those of the folder are of another training."""
        self.take()
        checkpoint, state = newest(self.out, needed)
        file = self.out / "begun.txt"
        if checkpoint is not None and file.exists() and file.read_text(encoding="utf-8") != self.begun:
            raise SystemExit(
                f"{self.out} has checkpoints of a training with another model, problems or settings: name another folder with --out, or remove it"
            )
        file.write_text(self.begun, encoding="utf-8")
        return checkpoint, state

    def agreed(self, accelerator, needed):
        """The same in every process, as the first one has found it."""
        found = [self.begin(needed) if accelerator.is_main_process else None]
        return broadcast_object_list(found)[0]


def used_for(args):
    """Optimizer steps that are taken with what is sampled at once."""
    return args.num_iterations * args.steps_per_generation // args.gradient_accumulation_steps


class Unheard:
    """A stream of a process that was told to end: whoever read it may be gone before it has saved."""

    def __init__(self, stream):
        self.stream = stream

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, text):
        try:
            return self.stream.write(text)
        except BrokenPipeError:
            return len(text)

    def flush(self):
        try:
            self.stream.flush()
        except BrokenPipeError:
            pass


class Ending(TrainerCallback):
    """Saves and ends once the process was told to end, by SIGTERM or SIGUSR1, at the end of what was sampled."""

    def __init__(self):
        self.is_asked, self.trainer = False, None

    def listen(self):
        for name in ("SIGTERM", "SIGUSR1"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self.ask)

    def ask(self, *_):
        if not self.is_asked:
            sys.stdout, sys.stderr = Unheard(sys.stdout), Unheard(sys.stderr)
        self.is_asked = True

    def on_step_end(self, args, state, control, **_):
        if state.global_step % used_for(args) != 0:
            return
        # One process may be told a step before another.
        accelerator = self.trainer.accelerator
        told = torch.tensor([int(self.is_asked)], device=accelerator.device)
        self.is_asked = bool(accelerator.gather(told).any())
        if self.is_asked:
            control.should_save = control.should_training_stop = True


class Reference(TrainerCallback):
    """Keeps a reference that follows the policy, which the trainer's checkpoints lack."""

    def __init__(self):
        self.trainer, self.checkpoint = None, None

    def weights(self):
        return self.trainer.accelerator.unwrap_model(self.trainer.ref_model)

    def on_train_begin(self, args, state, control, **_):
        if self.checkpoint is not None:
            self.weights().load_state_dict(torch.load(self.checkpoint / REFERENCE, map_location="cpu", weights_only=True))

    def on_save(self, args, state, control, **_):
        if state.is_world_process_zero:
            file = Path(args.output_dir, f"checkpoint-{state.global_step}", REFERENCE)
            torch.save(self.weights().state_dict(), f"{file}.new")
            os.replace(f"{file}.new", file)
