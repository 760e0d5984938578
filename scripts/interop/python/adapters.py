"""Loads exported adapters on their bases and the merged folders, and compares logits: with each other and with the lab's."""

import json
import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

LARGEST_DIFFERENCE = 1e-4
apart, from_lab, moved = 0.0, 0.0, 0.0
given = json.load(open(sys.argv[1]))
for each in given:
    # In double precision, so that what differs is the files.
    load = lambda folder: AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    start, merged = load(each["base"]), load(each["folder"])
    adapted = PeftModel.from_pretrained(load(each["base"]), each["adapters"]).eval().double()
    for case in each["cases"]:
        tokens = torch.tensor([case["tokens"]])
        with torch.no_grad():
            of_start, of_merged, of_adapted = (model(tokens).logits[0] for model in (start, merged, adapted))
        apart = max(apart, (of_merged - of_adapted).abs().max().item())
        from_lab = max(from_lab, (of_merged - torch.tensor(case["logits"], dtype=torch.float64)).abs().max().item())
        moved = max(moved, (of_merged - of_start).abs().max().item())
if moved < 1e-2:
    sys.exit(f"the adapters moved no logit by more than {moved}: nothing was compared")
for what, difference in (("merged and adapted", apart), ("merged and the lab's", from_lab)):
    if difference > LARGEST_DIFFERENCE:
        sys.exit(f"logits of {what} differ by {difference}")
print(
    f"Adapters of {len(given)} shapes (Llama tied and untied, Qwen2, Qwen3), trained for 3 steps and exported, load with PEFT on their "
    f"bases, and merged with transformers. Logits of the two differ by at most {apart:.1e}, those of the lab and of transformers by "
    f"{from_lab:.1e}; training moved them by up to {moved:.2f}. The merged folders are models here that earn what their runs earn."
)
