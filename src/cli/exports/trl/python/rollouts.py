"""Conversations of some steps, told as lines on stdout while the training goes on, for whoever follows it.

What is told is what this process was given to train on: the ids, what they earned and the advantage that TRL made of it."""

import json
import math
import re
from itertools import groupby

from saves import used_for

RESULT = re.compile(r"<tool_response>\n?(.*?)\n?</tool_response>", re.DOTALL)


def telling(kind, asked):
    """The trainer's class, telling conversations of the first step, of every so many and of the last ("every"; 0 for these two alone), up to so many each ("most"; None for all)."""

    class Telling(kind):
        def _generate_and_score_completions(self, inputs):
            output = super()._generate_and_score_completions(inputs)
            step = self.state.global_step + 1
            if self.model.training and self.accelerator.is_main_process and is_due(step, self.state.max_steps, used_for(self.args), asked["every"]):
                told = lines(self, inputs, output)
                print(json.dumps({"rollouts": [{"step": step, **line} for line in told[: asked["most"]]]}), flush=True)
            return output

    return Telling


def is_due(step, last, used, every):
    """Whether something is told of what is sampled for this step and those after it that use it."""
    end = step + used - 1
    return step == 1 or end >= last or (every > 0 and end // every > (step - 1) // every)


def number(value):
    """A number as JSON has it; None for what nobody could judge."""
    return value if math.isfinite(value) else None


def kept(ids, mask, pad):
    """The ids without the padding; of a completion that TRL masks whole, as one that was cut off, they are there too."""
    if mask.any():
        return ids[mask.bool()].tolist()
    ids = ids.tolist()
    while ids and ids[-1] == pad:
        ids.pop()
    return ids


def own_rewards(trainer, count):
    """Values of each reward function for the conversations of this process, which stand first among those of all."""
    everybody = count * trainer.accelerator.num_processes
    return {name: list(values)[-everybody:][:count] for name, values in trainer._logs["rewards"].items()}


def messages(tokenizer, tokens, sampled):
    """What was said: the policy's turns, and the results of tools that stand between them."""
    said, at = [], 0
    for is_sampled, run in groupby(sampled):
        end = at + len(list(run))
        text = tokenizer.decode(tokens[at:end], skip_special_tokens=True)
        told = [("assistant", text)] if is_sampled else [("tool", each) for each in RESULT.findall(text) or [text.strip()]]
        said += [{"role": role, "content": content} for role, content in told]
        at = end
    return said


def lines(trainer, inputs, output):
    """Each conversation with its ids, its reward and its advantage."""
    rewards = own_rewards(trainer, len(inputs))
    weights = dict(zip(trainer.reward_func_names, trainer.args.reward_weights))
    tokenizer = trainer.processing_class
    told = []
    for place, row in enumerate(inputs):
        prompt, tokens = (
            kept(output[f"{part}_ids"][place], output[f"{part}_mask"][place], tokenizer.pad_token_id) for part in ("prompt", "completion")
        )
        trained = output["completion_mask"][place]
        sampled = [1] * len(tokens)
        if "tool_mask" in output:
            trained = trained * output["tool_mask"][place]
            sampled = output["tool_mask"][place][: len(tokens)].tolist()
        parts = [{"name": name, "value": number(values[place]), "weight": weights[name]} for name, values in rewards.items()]
        known = [part["weight"] * part["value"] for part in parts if part["value"] is not None]
        told.append(
            {
                "prompt": place // trainer.num_generations,
                "member": place % trainer.num_generations,
                "answer": row.get("answer"),
                "opening": row["prompt"],
                "text": tokenizer.decode(tokens),
                "reward": sum(known) if known else None,
                "rewardParts": parts,
                "advantage": number(output["advantages"][place].item()),
                "promptTokens": prompt,
                "tokens": tokens,
                "mask": trained[: len(tokens)].tolist(),
                "messages": messages(tokenizer, tokens, sampled),
                # What the lab knows better, where it has held the conversation.
                **{key: row["verdict"][key] for key in ("messages", "success", "stopReason") if "verdict" in row},
            }
        )
    return told
