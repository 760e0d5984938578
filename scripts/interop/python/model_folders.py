"""Loads our folders, compares logits at every position and greedy continuations."""

import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

LARGEST_DIFFERENCE = 1e-4
worst, compared, continued = 0.0, 0, 0
given = json.load(open(sys.argv[1]))
for each in given:
    # In double precision, or of garbled ids PyTorch's own rounding would be most of the difference.
    model = AutoModelForCausalLM.from_pretrained(each["folder"], dtype=torch.float64).eval()
    AutoTokenizer.from_pretrained(each["folder"])
    for case in each["cases"]:
        tokens = torch.tensor([case["tokens"]])
        with torch.no_grad():
            logits = model(tokens).logits[0]
        difference = (logits - torch.tensor(case["logits"], dtype=torch.float64)).abs().max().item()
        worst, compared = max(worst, difference), compared + logits.numel()
        if difference > LARGEST_DIFFERENCE:
            sys.exit(f"{each['folder']}: logits differ by {difference}")
        wanted = case["continued"]
        options = {"max_new_tokens": len(wanted), "do_sample": False, "pad_token_id": 0, "attention_mask": torch.ones_like(tokens)}
        said = model.generate(tokens, **options)[0, tokens.shape[1] :].tolist()
        # generate() ends where the model ends its turn.
        if said != wanted[: len(said)]:
            sys.exit(f"{each['folder']}: generates {said}, the lab {wanted}")
        continued += len(said)
print(
    f"{len(given)} folders (the shipped checkpoints and an exported run) load with AutoModelForCausalLM and AutoTokenizer. "
    f"{compared} logits differ from the lab's by at most {worst:.1e}; {continued} tokens that generate() continues with are the lab's."
)
