"""PyTorch with PEFT doing one GRPO step of a pretrained model: sampling with a cache, and an update of LoRA adapters.

Reads one JSON request a line and answers with one: {"do": "prepare", ...} makes a model of the given shape
(weights are drawn: time does not depend on them) on a device, "cpu" or "cuda"; {"do": "step"} answers with seconds of
sampling and of the update.
"""

import json
import sys
import time

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

state = {}


def prepare(request):
    torch.set_num_threads(request["threads"])
    torch.manual_seed(0)
    base = LlamaForCausalLM(LlamaConfig(**request["shape"], attn_implementation="sdpa"))
    adapters = LoraConfig(r=request["rank"], lora_alpha=2 * request["rank"], lora_dropout=0, target_modules="all-linear")
    state["device"] = torch.device(request["device"])
    state["model"] = get_peft_model(base, adapters).to(state["device"])
    trained = [p for p in state["model"].parameters() if p.requires_grad]
    state["trained"] = trained
    state["optimizer"] = torch.optim.AdamW(trained, lr=1e-4)
    state["prompts"] = torch.tensor(request["prompts"], device=state["device"])
    state["copies"] = request["copies"]
    state["tokens"] = request["tokens"]
    return {"torch": torch.__version__}


def now():
    """Seconds, once everything asked of the device is done."""
    if state["device"].type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def step(_):
    model, tokens = state["model"], state["tokens"]
    prompts = state["prompts"].repeat_interleave(state["copies"], 0)
    began = now()
    model.eval()
    with torch.inference_mode():
        ids = model.generate(
            input_ids=prompts,
            attention_mask=torch.ones_like(prompts),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            max_new_tokens=tokens,
            min_new_tokens=tokens,
            pad_token_id=0,
        )
    sampled = now()
    model.train()
    ids = ids.clone()
    logits = model(input_ids=ids, logits_to_keep=tokens + 1).logits[:, :-1]
    scores = logits.log_softmax(-1).gather(-1, ids[:, -tokens:, None]).squeeze(-1)
    advantages = torch.linspace(-1, 1, len(ids), device=ids.device)[:, None]
    (-(scores * advantages).mean()).backward()
    torch.nn.utils.clip_grad_norm_(state["trained"], 1.0)
    state["optimizer"].step()
    state["optimizer"].zero_grad()
    updated = now()
    return {"sampling": sampled - began, "update": updated - sampled}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"prepare": prepare, "step": step}[request["do"]](request)
    except Exception as error:  # the caller is told, whatever it is
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
