"""Tiny models of the architectures that are computed here, each with an adapter as PEFT writes it.

The judge is float64 throughout: what transformers computes in float32 whatever the model's type (norms, rotary angles,
softmax) is computed in float64 here too. Beside its numbers stands how far PyTorch's own float32 is from them.
"""

import copy
import json
import shutil

import peft
import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config
from transformers.models.llama import modeling_llama
from transformers.models.qwen2 import modeling_qwen2
from transformers.models.qwen3 import modeling_qwen3

from reference_io import significant

DIGITS = 9

SEEDS = (41, 42, 43)
VOCABULARY = 67
COMMON = dict(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=56, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=128, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2, pad_token_id=0,
)  # fmt: skip
CASES = {
    "lora-llama-tied": (LlamaConfig, dict(head_dim=8, rope_theta=1e5, tie_word_embeddings=True), dict(r=4, lora_alpha=8)),
    "lora-llama-rank1-rslora": (
        LlamaConfig,
        dict(head_dim=8, rope_theta=1e4, tie_word_embeddings=False),
        dict(r=1, lora_alpha=32, use_rslora=True),
    ),
    "lora-qwen2-bias": (Qwen2Config, dict(rope_theta=1e6, tie_word_embeddings=True), dict(r=3, lora_alpha=6)),
    "lora-qwen3-qknorm": (Qwen3Config, dict(head_dim=12, rope_theta=1e6, tie_word_embeddings=True), dict(r=2, lora_alpha=8)),
}
ADAMW = dict(lr=0.002, betas=[0.9, 0.999], eps=1e-5, weightDecay=0.1, maxGradNorm=1.0, trained="adapters only")


class DoublePrecision:
    """PyTorch with float64 where a module of transformers names float32."""

    def __getattr__(self, name):
        return torch.float64 if name in ("float32", "float") else getattr(torch, name)


def as_double(is_double):
    for module in (modeling_llama, modeling_qwen2, modeling_qwen3):
        module.torch = DoublePrecision() if is_double else torch


def scores(model, ids):
    """Log-probs of each sequence's tokens but the first, and the entropies where they were predicted."""
    logprobs, entropies = [], []
    for one in ids:
        all_logprobs = torch.log_softmax(model(torch.tensor([one])).logits[0, :-1], -1)
        logprobs.append(all_logprobs.gather(1, torch.tensor(one[1:])[:, None])[:, 0])
        entropies.append(-(all_logprobs.exp() * all_logprobs).sum(-1))
    return logprobs, entropies


def save_base(folder, config, generator):
    """A random model as transformers saves it, in float32."""
    base = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for name, parameter in base.named_parameters():
            normal = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(normal * (0.7 if "embed" in name else 0.9 / parameter.shape[-1] ** 0.5))
            else:
                parameter.copy_((1 if "norm" in name else 0) + 0.2 * normal)
    base.float().save_pretrained(folder)
    (folder / "generation_config.json").unlink()


def adapted(folder, name, settings, generator):
    """The model in float64 with a random adapter, which is saved in float32. Whatever its scale, it adds as much to the base."""
    scale = settings["lora_alpha"] * settings["r"] ** (0 if settings.get("use_rslora") else -0.5)
    as_double(True)
    base = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64)
    model = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear", lora_dropout=0.0, **settings))
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if "lora_B" in key:
                parameter.copy_((0.6 / scale * torch.randn(parameter.shape, generator=generator)).float().double())
            elif "lora_A" in key:
                parameter.copy_((torch.randn(parameter.shape, generator=generator) / parameter.shape[-1] ** 0.5).float().double())
    model.eval()
    adapter = folder / "adapter"
    model.save_pretrained(adapter)
    weights = adapter / "adapter_model.safetensors"
    save_file({key: value.float() for key, value in load_file(weights).items()}, weights)
    (adapter / "README.md").unlink(missing_ok=True)
    written = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    written["base_model_name_or_path"] = name
    written["target_modules"] = sorted(written["target_modules"])
    (adapter / "adapter_config.json").write_text(json.dumps(written, indent=1), encoding="utf-8")
    return model


def adamw_steps(model, ids, parameters, loss_of):
    """Three clipped steps over the adapters; the model is changed."""
    optimizer = torch.optim.AdamW(parameters, lr=ADAMW["lr"], betas=ADAMW["betas"], eps=ADAMW["eps"], weight_decay=ADAMW["weightDecay"])
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = loss_of()
        losses.append(float(loss.detach()))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, ADAMW["maxGradNorm"])
        optimizer.step()
    with torch.no_grad():
        after, _ = scores(model, ids)
    return {**ADAMW, "lossBeforeEachStep": losses, "tokenLogprobsAfter3": [one.tolist() for one in after]}


def expected_numbers(model, generator):
    ids = [torch.randint(3, VOCABULARY, (length,), generator=generator).tolist() for length in (11, 7, 16)]
    mask = [[int(torch.rand(1, generator=generator) < 0.8) for _ in one[1:]] for one in ids]
    weights = [[round(float(torch.randn(1, generator=generator)), 4) * keep for keep in row] for row in mask]
    total = sum(map(sum, mask))
    trained = {name.replace(".default", ""): parameter for name, parameter in model.named_parameters() if parameter.requires_grad}

    def loss_of():
        logprobs, _ = scores(model, ids)
        return -sum((torch.tensor(row, dtype=torch.float64) * one).sum() for row, one in zip(weights, logprobs)) / total

    with torch.no_grad():
        logprobs, entropies = scores(model, ids)
        last = [model(torch.tensor([one])).logits[0, -1].tolist() for one in ids]
        with model.disable_adapter():
            reference, _ = scores(model, ids)
        prompt = ids[0][:4]
        sequence = list(prompt)
        for _ in range(12):
            sequence.append(int(model(torch.tensor([sequence])).logits[0, -1].argmax()))
    loss = loss_of()
    loss.backward()
    gradients = {name: parameter.grad.flatten().tolist() for name, parameter in trained.items()}
    norm = float(torch.sqrt(sum((parameter.grad**2).sum() for parameter in trained.values())))
    with torch.no_grad():
        merged, _ = scores(copy.deepcopy(model).merge_and_unload(), ids)
    return {
        "inputIds": ids,
        "logitsLastPosition": last,
        "tokenLogprobs": [one.tolist() for one in logprobs],
        "tokenEntropies": [one.tolist() for one in entropies],
        "referenceLogprobs": [one.tolist() for one in reference],
        "mask": mask,
        "weights": weights,
        "loss_definition": "-(sum(weights*tokenLogprobs))/sum(mask); position t scores token t+1; gradients of adapters only",
        "loss": float(loss.detach()),
        "gradGlobalNorm": norm,
        "grads": gradients,
        "mergedMaxDifference": max(float((a - b).abs().max()) for a, b in zip(merged, logprobs)),
        "greedyContinuation": {"prompt": prompt, "continuation": sequence[4:]},
        "adamw": adamw_steps(model, ids, list(trained.values()), loss_of),
    }


def in_float32(model, expected):
    """How far PyTorch's float32 is: of a gradient's largest element, and of log-probs before and after three steps."""
    as_double(False)
    single = copy.deepcopy(model).float()
    ids, total = expected["inputIds"], sum(map(sum, expected["mask"]))
    trained = {name.replace(".default", ""): parameter for name, parameter in single.named_parameters() if parameter.requires_grad}

    def loss_of():
        logprobs, _ = scores(single, ids)
        return -sum((torch.tensor(row) * one).sum() for row, one in zip(expected["weights"], logprobs)) / total

    def distance(found, wanted):
        return max(float((one.double() - torch.tensor(other, dtype=torch.float64)).abs().max()) for one, other in zip(found, wanted))

    logprobs = distance(scores(single, ids)[0], expected["tokenLogprobs"])
    loss_of().backward()
    gradients = max(
        distance([parameter.grad.flatten()], [expected["grads"][name]]) / max(map(abs, expected["grads"][name]))
        for name, parameter in trained.items()
    )
    after = adamw_steps(single, ids, list(trained.values()), loss_of)["tokenLogprobsAfter3"]
    after = distance([torch.tensor(one) for one in after], expected["adamw"]["tokenLogprobsAfter3"])
    as_double(True)
    return {"logprobs": logprobs, "gradients": gradients, "afterSteps": after}


def shortened(value):
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return significant(value, DIGITS)


def make_case(target, case, seed):
    config, settings, lora = case
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(1000 * seed)
    save_base(target, config(**COMMON, **settings), generator)
    model = adapted(target, target.name, lora, generator)
    start = copy.deepcopy(model)
    expected = expected_numbers(model, generator)
    expected["float32"] = in_float32(start, expected)
    as_double(False)
    source = f"transformers {transformers.__version__}, peft {peft.__version__}, torch {torch.__version__}, float64"
    (target / "expected.json").write_text(json.dumps({"source": source, **shortened(expected)}), encoding="utf-8")


def make(folder):
    for index, (name, case) in enumerate(CASES.items()):
        for number, seed in enumerate(SEEDS):
            make_case(folder / (f"{name}-{number + 1}" if number else name), case, 10 * seed + index)
