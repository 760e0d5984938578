"""The smallest group-relative training loop in numpy, to compare with: a table of logits learns to emit
digits with a given sum. Prints the milliseconds of every run and where the last one ended, as JSON."""
import json
import sys
import time

import numpy as np

LENGTH, VOCABULARY, TARGET, SCALE = 4, 10, 18, 2.0


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def train(seed, steps, group, rate, kl_weight):
    random = np.random.default_rng(seed)
    logits = np.zeros((LENGTH, VOCABULARY))
    reference = log_softmax(logits)
    one_hot = np.eye(VOCABULARY)
    history = []
    for _ in range(steps):
        logprobs = log_softmax(logits)
        probabilities = np.exp(logprobs)
        uniforms = random.random((group, LENGTH, 1))
        reached = np.cumsum(probabilities, axis=1)
        tokens = np.minimum((uniforms > reached).sum(axis=2), VOCABULARY - 1)
        missed = np.abs(tokens.sum(axis=1) - TARGET)
        rewards = np.exp(-missed / SCALE)
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        gain = np.einsum("g,gtv->tv", advantages, one_hot[tokens] - probabilities) / group
        difference = logprobs - reference
        kl = (probabilities * difference).sum(axis=1, keepdims=True)
        logits += rate * (gain - kl_weight * probabilities * (difference - kl) / LENGTH)
        history.append((rewards.mean(), rewards.std(), (missed == 0).mean(), kl.mean()))
    return history


runs, steps, group, rate, kl_weight = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
train(0, steps, group, rate, kl_weight)
milliseconds = []
for run in range(runs):
    begun = time.perf_counter()
    history = train(run, steps, group, rate, kl_weight)
    milliseconds.append((time.perf_counter() - begun) * 1000)
print(json.dumps({"numpy": np.__version__, "milliseconds": milliseconds, "success": float(np.mean([row[2] for row in history[-20:]]))}))
