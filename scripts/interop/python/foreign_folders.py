"""Writes Llama folders with random weights as transformers does, each with the logits it gives."""

import json
import sys
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

LAB = {"vocab_size": 512, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
LAB |= {"num_key_value_heads": 2, "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "tie_word_embeddings": True}
SHAPES = {
    "lab-shape": (LAB, torch.float32),
    "untied": (LAB | {"tie_word_embeddings": False, "num_key_value_heads": 4}, torch.float32),
    "half": (LAB | {"head_dim": 16, "num_key_value_heads": 1}, torch.float16),
    "brain": (LAB | {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "rms_norm_eps": 1e-6}, torch.bfloat16),
}

torch.manual_seed(5)
for name, (settings, dtype) in SHAPES.items():
    model = LlamaForCausalLM(LlamaConfig(**settings, initializer_range=0.1)).to(dtype)
    folder = Path(sys.argv[1], name)
    model.save_pretrained(folder)
    tokens = torch.randint(0, 512, (1, 20))
    with torch.no_grad():
        logits = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()(tokens).logits[0]
    (folder / "expected.json").write_text(json.dumps({"tokens": tokens[0].tolist(), "logits": logits.tolist()}))
print(len(SHAPES))
