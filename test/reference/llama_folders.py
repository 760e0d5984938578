"""Model folders as transformers writes them, with what its LlamaForCausalLM computes from them.

The model runs as float64; inside, transformers computes RMSNorm, rotary angles and softmax in float32
whatever the model's type, so the numbers are good to about 1e-6.
"""

import json
import shutil

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

from reference_io import lists, rounded, significant, write_json

transformers.utils.logging.disable_progress_bar()
DIGITS = 8
IDS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
FOLDERS = {
    "hf-llama-gqa-tied": {
        "vocab_size": 64, "hidden_size": 32, "intermediate_size": 88, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
    },
    "hf-llama-mha-untied": {
        "vocab_size": 40, "hidden_size": 24, "intermediate_size": 64, "num_hidden_layers": 3,
        "num_attention_heads": 3, "num_key_value_heads": 3, "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100_000.0},
    },
}  # fmt: skip
ADAMW = {"lr": 0.01, "betas": [0.9, 0.999], "eps": 1e-8, "weightDecay": 0.1, "decayAppliesTo": "all parameters", "maxGradNorm": 1.0}

# config.json in the form of transformers 4: rope_theta and torch_dtype at the top, no head_dim, no first token.
BF16_CONFIG = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": None,
    "eos_token_id": 1, "hidden_act": "silu", "hidden_size": 64, "initializer_range": 0.02, "intermediate_size": 172,
    "max_position_embeddings": 2048, "mlp_bias": False, "model_type": "llama", "num_attention_heads": 4,
    "num_hidden_layers": 2, "num_key_value_heads": 4, "pad_token_id": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-6,
    "rope_scaling": None, "rope_theta": 10000.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.43.3", "use_cache": True, "vocab_size": 16,
}  # fmt: skip


def fill(model, seed):
    """Weights from a frozen stream, large enough that attention and logits are far from flat."""
    random = np.random.RandomState(seed)
    with torch.no_grad():
        for _, parameter in sorted(model.named_parameters()):
            values = random.standard_normal(tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(1 + 0.2 * values if values.ndim == 1 else 0.25 * values))


def tokens(seed, vocabulary, shape):
    """No padding token among them: its row of the embedding would get no gradient in transformers."""
    return torch.from_numpy(np.random.RandomState(seed).randint(3, vocabulary, size=shape))


def next_logprobs(model, ids):
    """Log-probs of all tokens at every position but the last, [B, T-1, V]."""
    return torch.log_softmax(model(ids).logits[:, :-1], -1)


def taken(logprobs, ids):
    return logprobs.gather(-1, ids[:, 1:, None]).squeeze(-1)


def greedy(model, prompt, count):
    ids = prompt.clone()
    for _ in range(count):
        ids = torch.cat([ids, model(ids[None]).logits[0, -1].argmax()[None]])
    return ids[len(prompt) :]


def expected_numbers(model, seed):
    random = np.random.RandomState(seed)
    ids = tokens(seed + 1, model.config.vocab_size, (3, 10))
    mask = np.ones((3, 9))
    mask[:, :3] = 0  # a prompt of four tokens
    mask[1, 7:] = 0
    mask[2, 5] = 0
    weights = rounded(random.standard_normal((3, 9)) * mask)
    weights_T, mask_T = torch.from_numpy(weights), torch.from_numpy(mask)

    def loss_of(logprobs):
        return -(weights_T * taken(logprobs, ids)).sum() / mask_T.sum()

    logprobs = next_logprobs(model, ids)
    loss = loss_of(logprobs)
    loss.backward()
    gradients = {name: parameter.grad.flatten() for name, parameter in model.named_parameters()}
    found = {
        "inputIds": lists(ids),
        "logitsLastPosition": lists(model(ids).logits[:, -1], DIGITS),
        "tokenLogprobs": lists(taken(logprobs, ids), DIGITS),
        "tokenEntropies": lists(-(logprobs.exp() * logprobs).sum(-1), DIGITS),
        "loss_definition": "-(sum(weights*tokenLogprobs))/sum(mask); position t scores token t+1",
        "mask": lists(mask.astype(int)),
        "weights": lists(weights),
        "loss": significant(loss.item(), DIGITS),
        "gradGlobalNorm": significant(torch.cat(list(gradients.values())).norm().item(), DIGITS),
        "grads": {name: lists(gradient, DIGITS) for name, gradient in gradients.items()},
    }
    prompt = ids[0, :4]
    found["greedyContinuation"] = {"prompt": lists(prompt), "continuation": lists(greedy(model, prompt, 12))}
    found["adamw"] = {**ADAMW, **adamw_steps(model, ids, loss_of)}
    return found


def adamw_steps(model, ids, loss_of):
    """Three clipped steps; the model is changed."""
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=ADAMW["lr"], betas=ADAMW["betas"], eps=ADAMW["eps"], weight_decay=ADAMW["weightDecay"]
    )
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = loss_of(next_logprobs(model, ids))
        losses.append(significant(loss.item(), DIGITS))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), ADAMW["maxGradNorm"])
        optimizer.step()
    return {"lossBeforeEachStep": losses, "tokenLogprobsAfter3": lists(taken(next_logprobs(model, ids), ids), DIGITS)}


def load(folder):
    """As a user of the folder loads it, in float64."""
    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")


def make_folder(folder, settings, seed):
    model = LlamaForCausalLM(LlamaConfig(max_position_embeddings=256, **IDS, **settings))
    fill(model, seed)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    source = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, float64"
    write_json(folder / "expected.json", {"source": source, **expected_numbers(load(folder), seed + 10)})


def make_bf16(folder, seed):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(BF16_CONFIG, indent=2) + "\n", encoding="utf-8")
    model = LlamaForCausalLM(LlamaConfig.from_pretrained(folder))
    fill(model, seed)
    weights = {name: value.detach().to(torch.bfloat16).contiguous() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    ids = tokens(seed + 1, model.config.vocab_size, (2, 12))
    logits = load(folder)(ids).logits
    write_json(
        folder / "expected.json",
        {"note": "weights widened from bfloat16", "inputIds": lists(ids), "logits": lists(logits, DIGITS)},
    )


def make(folder):
    for index, (name, settings) in enumerate(FOLDERS.items()):
        shutil.rmtree(folder / name, ignore_errors=True)
        make_folder(folder / name, settings, 3000 + 100 * index)
    shutil.rmtree(folder / "llama-bf16", ignore_errors=True)
    make_bf16(folder / "llama-bf16", 3500)
