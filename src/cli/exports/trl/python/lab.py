"""Conversations that the lab holds for GRPOTrainer: its environments, its rewards, its evaluations. This program samples the turns.

Where the lab has started a server it says so in server.json; where none is or it cannot be reached, the command of lab.json starts one."""

import atexit
import json
import socket
import subprocess
import uuid
from pathlib import Path
from urllib import error, parse, request

from transformers import GenerationConfig
from trl import GRPOTrainer

HERE = Path(__file__).parent
# Contexts that are sampled at once where somebody evaluates.
CHUNK = 64


def started():
    """Address and token of a server that ends with this program."""
    command = json.loads((HERE / "lab.json").read_text(encoding="utf-8"))["command"]
    # A session of its own: what tells this program to end leaves it the server that its last step needs.
    server = subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    atexit.register(server.terminate)
    line = server.stdout.readline()
    if not line.startswith("{"):
        raise SystemExit(f"{' '.join(command)} started no server of conversations: {line.strip() or 'it ended'}")
    return json.loads(line)


def running():
    """The same of the server that the lab has started; None where there is none that answers."""
    file = HERE / "server.json"
    if not file.exists():
        return None
    told = json.loads(file.read_text(encoding="utf-8"))
    at = parse.urlparse(told["url"])
    try:
        socket.create_connection((at.hostname, at.port), 5).close()
    except OSError:
        return None
    return told


class Lab:
    """The server, asked by one process of the training."""

    def __init__(self):
        told = running() or started()
        self.url, self.token = told["url"], told["token"]
        self.client = uuid.uuid4().hex

    def ask(self, path, **body):
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        data = json.dumps({"client": self.client, **body}).encode()
        try:
            # A server of this machine is reached past any proxy.
            opener = request.build_opener(request.ProxyHandler({}))
            with opener.open(request.Request(f"{self.url}/{path}", data, headers)) as answer:
                return json.load(answer)
        except error.HTTPError as refused:
            raise SystemExit(f"the lab: {json.load(refused)['error']}") from None
        except OSError as away:
            raise SystemExit(f"the lab's server of conversations is gone: {away}") from None

    def answer(self, sample, **begun):
        """What comes of something that is asked, with turns by sample."""
        told = self.ask("begin", **begun)
        while "sample" in told:
            told = self.ask("sampled", turns=sample(told["sample"]))
        return told["result"]


class LabTrainer(GRPOTrainer):
    """GRPOTrainer whose conversations the lab holds."""

    lab = None

    def _generate_and_score_completions(self, inputs):
        self.problems = [row["problem"] for row in inputs]
        return super()._generate_and_score_completions(inputs)

    def evaluate_in_lab(self, step):
        """Has the lab evaluate the policy as it is."""
        if self.accelerator.is_main_process:
            record = self.lab.answer(lambda order: evaluated_turns(self, order), what="evaluate", step=step)
            print(json.dumps({"evaluation": record}), flush=True)
        self.accelerator.wait_for_everyone()


def evaluated_turns(trainer, order):
    """Turns by the options of an evaluation, which are not those of the training."""
    if trainer.use_vllm:
        return vllm_turns(trainer, order)
    kept = trainer.generation_config, trainer.generation_kwargs
    greedy = order["temperature"] == 0
    drawn = {} if greedy else {"temperature": order["temperature"], "top_k": order["topK"], "top_p": order["topP"]}
    least = {} if greedy or order["minP"] == 0 else {"min_p": order["minP"]}
    same = {key: value for key, value in trainer.generation_kwargs.items() if key not in ("temperature", "top_k", "top_p", "min_p")}
    options = {**same, **drawn, **least, "do_sample": not greedy, "max_new_tokens": order["maxNewTokens"]}
    trainer.generation_config, trainer.generation_kwargs = GenerationConfig(**options, disable_compile=True), options
    try:
        contexts = order["contexts"]
        chunks = [contexts[at : at + CHUNK] for at in range(0, len(contexts), CHUNK)]
        return [turn for chunk in chunks for turn in trainer._generate_single_turn(chunk, None, {}, 1)[0]]
    finally:
        trainer.generation_config, trainer.generation_kwargs = kept


def vllm_turns(trainer, order):
    kept = trainer.vllm_generation.temperature
    trainer.vllm_generation.temperature = order["temperature"]
    try:
        return trainer._generate_single_turn(order["contexts"], None, {}, 1)[0]
    finally:
        trainer.vllm_generation.temperature = kept


def rollout(prompts, trainer):
    """Conversations about the problems of a batch, with the verdicts on them."""
    told_logprobs = [[] for _ in prompts]

    def sample(order):
        turns, logprobs = trainer._generate_single_turn(order["contexts"], None, {}, 1)
        for place, told in zip(order["sequences"], logprobs or []):
            told_logprobs[place] += told
        return turns

    talks = trainer.lab.answer(sample, what="rollouts", problems=trainer.problems)
    ids = {"prompt_ids": [talk["prompt"] for talk in talks], "completion_ids": [talk["tokens"] for talk in talks]}
    logprobs = [spread(told, talk["sampled"]) for told, talk in zip(told_logprobs, talks)] if trainer.use_vllm else None
    return {**ids, "logprobs": logprobs, "env_mask": [talk["trained"] for talk in talks], "verdict": talks}


def spread(logprobs, sampled):
    """Log-probs at the places of sampled tokens, 0 at those of inserted ones."""
    told = iter(logprobs)
    return [next(told, 0.0) if each else 0.0 for each in sampled]


def reward_function(name):
    """A part of the reward, or all of it ("total"). What could not be scored is None in every one, so that TRL leaves it out."""

    def reward(verdict, **_):
        values = [talk["total"] if name == "total" else talk["parts"].get(name) for talk in verdict]
        return [None if talk["total"] is None else value for value, talk in zip(values, verdict)]

    reward.__name__ = name
    return reward
