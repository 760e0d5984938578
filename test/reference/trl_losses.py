"""trl-losses.json: TRL's own GRPOTrainer._compute_loss on fixed log-probs, in float64.

The trainer is a shell that carries the settings of a real GRPOConfig; its forward pass returns the given
log-probs and entropies as leaves, so that autograd gives the gradients of TRL's loss with respect to them.
"""

from collections import defaultdict
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import torch
import trl
from accelerate import Accelerator
from trl import GRPOConfig, GRPOTrainer

from reference_io import lists, response_mask, rounded, write_json

B, T = 8, 12

# Settings of GRPOConfig that differ from its defaults, by case. The last is TRL's function without the
# no_grad around VESPO's weight: the same loss, with a gradient through the weight.
CASES = {
    "grpo token clip": {"loss_type": "grpo"},
    "grpo with KL": {"loss_type": "grpo", "beta": 0.04},
    "grpo KL bias-corrected": {"loss_type": "grpo", "beta": 0.1, "use_bias_correction_kl": True},
    "bnpo": {"loss_type": "bnpo"},
    "dr_grpo": {"loss_type": "dr_grpo"},
    "dapo clip-higher": {"loss_type": "dapo", "epsilon_high": 0.28},
    "dapo with KL and entropy bonus": {"loss_type": "dapo", "epsilon_high": 0.28, "beta": 0.02, "entropy_coef": 0.01},
    "two-sided clip delta": {"loss_type": "grpo", "delta": 1.5},
    "gspo sequence ratio": {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4},
    "gspo wide": {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 0.1},
    "cispo": {"loss_type": "cispo", "epsilon_high": 1.28},
    "sapo": {"loss_type": "sapo"},
    "luspo": {"loss_type": "luspo", "importance_sampling_level": "sequence", "epsilon": 0.1, "epsilon_high": 0.15},
    "vespo": {"loss_type": "vespo"},
    "top entropy quantile": {"loss_type": "dapo", "top_entropy_quantile": 0.4},
    "off-policy sequence mask": {"loss_type": "grpo", "off_policy_mask_threshold": 0.05},
    "entropy bonus grpo": {"loss_type": "grpo", "entropy_coef": 0.05},
    "vespo, weight not held": {"loss_type": "vespo"},
}


def make_inputs(seed):
    random = np.random.RandomState(seed)
    logprobs = -random.gamma(2.0, 0.5, size=(B, T)) - 0.01
    return {
        "logprobs": rounded(logprobs),
        "oldLogprobs": rounded(np.minimum(logprobs + 0.3 * random.standard_normal((B, T)), -0.001)),
        "refLogprobs": rounded(np.minimum(logprobs + 0.4 * random.standard_normal((B, T)), -0.001)),
        "entropies": rounded(random.gamma(3.0, 0.33, size=(B, T))),
        "mask": response_mask(random, B, T, holes=3),
        "advantages": rounded(random.standard_normal(B)),
    }


def trainer_shell(settings):
    """What _compute_loss reads of a trainer, set as GRPOTrainer.__init__ does."""
    args = GRPOConfig(output_dir="unused", use_cpu=True, bf16=False, report_to="none", max_completion_length=T, **settings)
    args.steps_per_generation = 1
    shell = object.__new__(GRPOTrainer)
    shell.args = args
    shell.accelerator = Accelerator(cpu=True)
    shell.model = SimpleNamespace(training=True)
    shell._metrics = defaultdict(lambda: defaultdict(list))
    shell.current_gradient_accumulation_steps = 1
    shell.aux_loss_enabled = shell.use_vllm = shell.vllm_importance_sampling_correction = False
    for name in ("beta", "loss_type", "importance_sampling_level", "top_entropy_quantile", "off_policy_mask_threshold"):
        setattr(shell, name, getattr(args, name))
    shell.max_completion_length = args.max_completion_length
    shell.epsilon_low = args.epsilon
    shell.epsilon_high = args.epsilon if args.epsilon_high is None else args.epsilon_high
    shell.entropy_coef, shell.use_adaptive_entropy = args.entropy_coef, args.use_adaptive_entropy
    shell._entropy_bonus_enabled = shell.entropy_coef != 0.0 or shell.use_adaptive_entropy
    return shell


def compute(settings, inputs):
    """TRL's loss, its gradients and its metrics."""
    shell = trainer_shell(settings)
    leaf = {name: torch.tensor(inputs[name], dtype=torch.float64, requires_grad=True) for name in ("logprobs", "entropies")}
    shell._get_per_token_logps_and_entropies = lambda *_, **__: (leaf["logprobs"], leaf["entropies"], None)
    # In float64 too, or TRL's metrics would be means in float32.
    mask = torch.tensor(inputs["mask"], dtype=torch.float64)
    batch = {
        "prompt_ids": torch.zeros(B, 1, dtype=torch.long),
        "prompt_mask": torch.ones(B, 1, dtype=torch.long),
        "completion_ids": torch.zeros(B, T, dtype=torch.long),
        "completion_mask": mask,
        "advantages": torch.tensor(inputs["advantages"], dtype=torch.float64),
        "old_per_token_logps": torch.tensor(inputs["oldLogprobs"], dtype=torch.float64),
        "ref_per_token_logps": torch.tensor(inputs["refLogprobs"], dtype=torch.float64),
        "num_items_in_batch": mask.sum(),
    }
    loss = shell._compute_loss(shell.model, batch)
    loss.backward()
    return {
        "loss": loss.item(),
        "gradLogprobs": lists(leaf["logprobs"].grad),
        "gradEntropies": None if leaf["entropies"].grad is None else lists(leaf["entropies"].grad),
        "metrics": {name: values[0] for name, values in shell._metrics["train"].items()},
    }


def config_record(settings):
    """The settings under the names of the JSON file, TRL's defaults filled in."""
    shell = trainer_shell(settings)
    args = shell.args
    return {
        "lossType": args.loss_type,
        "importanceSamplingLevel": args.importance_sampling_level,
        "epsilonLow": shell.epsilon_low,
        "epsilonHigh": shell.epsilon_high,
        "delta": args.delta,
        "beta": args.beta,
        "useBiasCorrectionKl": args.use_bias_correction_kl,
        "entropyCoef": args.entropy_coef,
        "topEntropyQuantile": args.top_entropy_quantile,
        "offPolicyMaskThreshold": args.off_policy_mask_threshold,
        "sapoTemperaturePos": args.sapo_temperature_pos,
        "sapoTemperatureNeg": args.sapo_temperature_neg,
        "maxCompletionLength": args.max_completion_length,
    }



def make_case(seed, name, settings):
    inputs = make_inputs(seed)
    holds = name != "vespo, weight not held"
    if holds:
        expected = compute(settings, inputs)
    else:
        moving = staticmethod(GRPOTrainer.get_gamma_weights.__wrapped__)
        with patch.object(GRPOTrainer, "get_gamma_weights", moving):
            expected = compute(settings, inputs)
    record = {"name": name, "config": {**config_record(settings), "vespoFixedWeight": holds}}
    return {**record, **{key: lists(value) for key, value in inputs.items()}, "expected": expected}


def make(folder):
    write_json(
        folder / "trl-losses.json",
        {
            "source": f"trl {trl.__version__}, torch {torch.__version__.split('+')[0]}, float64: GRPOTrainer._compute_loss",
            "shapes": f"B={B} sequences, T={T} completion tokens; mask 0 = padding or tool tokens",
            "cases": [make_case(1000 + index, name, settings) for index, (name, settings) in enumerate(CASES.items())],
        },
    )
