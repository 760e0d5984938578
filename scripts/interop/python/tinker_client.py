"""The official tinker client against the project's own small server: its address, and a file with a prompt.
Log-probs come by three calls and must agree; losses move the model as their formulas say; saved weights come back."""
import json
import sys

import numpy as np
import tinker
from tinker import types

url, given = sys.argv[1:3]
cases = json.load(open(given))


def hold(is_held, sentence):
    if not is_held:
        raise SystemExit(sentence)


def tensor(values, dtype):
    return types.TensorData(data=list(values), dtype=dtype, shape=[len(values)])


service = tinker.ServiceClient(base_url=url, api_key="tml-of-nobody")
(model,) = [each.model_name for each in service.get_server_capabilities().supported_models]
training = service.create_lora_training_client(base_model=model, rank=4, seed=1)
prompt, stop = cases["prompt"], cases["stop"]
sampler = training.save_weights_and_get_sampling_client(name="start")
params = types.SamplingParams(max_tokens=12, temperature=1.0, seed=3, stop=stop)
sampled = sampler.sample(prompt=types.ModelInput.from_ints(prompt), num_samples=4, sampling_params=params).result()
hold(len(sampled.sequences) == 4, f"4 samples were asked for, {len(sampled.sequences)} came")


def datum(sequence, **inputs):
    whole = prompt + list(sequence.tokens)
    pad = [0.0] * (len(prompt) - 1)
    return types.Datum(
        model_input=types.ModelInput.from_ints(whole[:-1]),
        loss_fn_inputs={
            "target_tokens": tensor(whole[1:], "int64"),
            **{name: tensor(pad + [float(value) for value in values], "float32") for name, values in inputs.items()},
        },
    )


def forward(data):
    outputs = training.forward(data, "cross_entropy").result().loss_fn_outputs
    return [np.asarray(each["logprobs"].data)[len(prompt) - 1 :] for each in outputs]


sequences = sampled.sequences
weighted = [datum(each, weights=[1] * len(each.tokens)) for each in sequences]
before = forward(weighted)
apart = 0.0
for sequence, scored in zip(sequences, before):
    told = sampler.compute_logprobs(types.ModelInput.from_ints(prompt + list(sequence.tokens))).result()
    hold(told[0] is None, "the first token of a prompt has a log-prob")
    for values in (np.asarray(sequence.logprobs), np.asarray(told[len(prompt) :], np.float32)):
        apart = max(apart, float(np.abs(values - scored).max()))
hold(apart < 1e-5, f"log-probs sampled, of a prompt and by forward differ by {apart:.1e}")

moved = {}
adam = types.AdamParams(learning_rate=1e-3)
for loss, config in [("cross_entropy", None), ("importance_sampling", None), ("ppo", {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2})]:
    now = forward(weighted)
    if loss == "cross_entropy":
        data = weighted
    else:
        data = [datum(each, logprobs=old, advantages=[1] * len(each.tokens)) for each, old in zip(sequences, now)]
    pending = training.forward_backward(data, loss, config)
    training.optim_step(adam).result()
    told = [np.asarray(each["logprobs"].data)[len(prompt) - 1 :] for each in pending.result().loss_fn_outputs]
    hold(all(np.array_equal(one, other) for one, other in zip(told, now)), f"{loss}: the log-probs told are not those before the step")
    moved[loss] = float(np.concatenate(forward(weighted)).sum() - np.concatenate(now).sum())
    hold(moved[loss] > 0, f"{loss}: what was to be likelier has become less likely by {-moved[loss]:.2e}")

path = training.save_state("kept").result().path
end = forward(weighted)
again = service.create_lora_training_client(base_model=model, rank=4, seed=2)
again.load_state_with_optimizer(path).result()
training = again
hold(all(np.array_equal(one, other) for one, other in zip(forward(weighted), end)), "saved weights come back as others")

print(
    f"The official client holds a session, makes a model, samples, scores, takes steps by cross_entropy, importance_sampling and ppo, saves and loads on the project's own server. "
    f"Log-probs that were sampled, of a prompt and by forward differ by at most {apart:.1e}. Passes go and come in Protocol Buffers."
)
