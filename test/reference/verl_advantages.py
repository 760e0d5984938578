"""verl-advantages.json: advantages, critic and KL estimators by verl's formulas, in float64.

verl itself is not installed: it needs Ray and a GPU. Its functions are a few lines each and are written
out here in PyTorch, every one under the name it has in verl (verl/trainer/ppo/core_algos.py and
verl/utils/torch_functional.py). Those that TRL differs in are named after TRL.
"""

import numpy as np
import torch

from reference_io import lists, response_mask, rounded, write_json

P, G, T = 3, 4, 10
B = P * G


def masked_mean(values, mask):
    return (values * mask).sum() / (mask.sum() + 1e-8)


def masked_whiten(values, mask):
    """Mean 0 and (Bessel-corrected) variance 1 over the trained tokens."""
    mean = masked_mean(values, mask)
    count = mask.sum()
    variance = masked_mean((values - mean) ** 2, mask) * count / (count - 1)
    return (values - mean) * torch.rsqrt(variance + 1e-8)


def token_level_rewards(rewards, mask):
    """Each completion's reward on its last trained token."""
    table = torch.zeros_like(mask)
    last = (mask * torch.arange(1, T + 1)).argmax(-1)
    table[torch.arange(B), last] = rewards
    return table


def of_group(rewards, statistic):
    """A statistic of each group, at each of its members."""
    return statistic(rewards.view(P, G)).repeat_interleave(G)


def group_mean(rewards):
    return of_group(rewards, lambda grouped: grouped.mean(1))


def group_std(rewards, correction=1):
    return of_group(rewards, lambda grouped: grouped.std(1, correction=correction))


def compute_grpo_outcome_advantage(rewards, by_std, epsilon=1e-6):
    centred = rewards - group_mean(rewards)
    return centred / (group_std(rewards) + epsilon) if by_std else centred


def compute_rloo_outcome_advantage(rewards):
    return rewards * G / (G - 1) - group_mean(rewards) * G / (G - 1)


def compute_opo_outcome_advantage(rewards, lengths):
    return rewards - of_group(lengths * rewards, lambda g: g.sum(1)) / of_group(lengths, lambda g: g.sum(1))


def compute_reinforce_plus_plus_baseline_outcome_advantage(rewards, mask):
    return masked_whiten((rewards - group_mean(rewards))[:, None] * mask, mask) * mask


def compute_reinforce_plus_plus_outcome_advantage(rewards, mask, gamma):
    """The discounted return; a token that is not trained hands on what stands after it."""
    at_token, running, returns = token_level_rewards(rewards, mask), torch.zeros_like(rewards), torch.zeros_like(mask)
    for t in reversed(range(T)):
        running = torch.where(mask[:, t] > 0, at_token[:, t] + gamma * running, running)
        returns[:, t] = running
    return masked_whiten(returns, mask) * mask


def compute_gae_advantage_return(rewards, values, mask, gamma, lam):
    """Whitened advantages and returns; tokens that are not trained are stepped over."""
    at_token = token_level_rewards(rewards, mask)
    next_value, running, advantages = torch.zeros_like(rewards), torch.zeros_like(rewards), torch.zeros_like(mask)
    for t in reversed(range(T)):
        delta = at_token[:, t] + gamma * next_value - values[:, t]
        running = torch.where(mask[:, t] > 0, delta + gamma * lam * running, running)
        next_value = torch.where(mask[:, t] > 0, values[:, t], next_value)
        advantages[:, t] = running
    return masked_whiten(advantages, mask) * mask, (advantages + values) * mask


def compute_value_loss(new_values, values, returns, mask, clip_range):
    clipped = torch.clamp(new_values, values - clip_range, values + clip_range)
    free_loss, clipped_loss = (new_values - returns) ** 2, (clipped - returns) ** 2
    loss = 0.5 * (torch.maximum(free_loss, clipped_loss) * mask).sum() / mask.sum()
    return loss, masked_mean((clipped_loss > free_loss).double(), mask)


def kl_penalty(logprobs, ref_logprobs, kind):
    if kind == "k1":
        return logprobs - ref_logprobs
    if kind == "k2":
        return 0.5 * (logprobs - ref_logprobs) ** 2
    if kind == "k3":
        log_ratio = torch.clamp(ref_logprobs - logprobs, -20, 20)
        return torch.clamp(torch.exp(log_ratio) - log_ratio - 1, -10, 10)
    # "+": the value of one estimator with the gradient of k2, straight through.
    backward = kl_penalty(logprobs, ref_logprobs, "k2")
    return backward - backward.detach() + kl_penalty(logprobs, ref_logprobs, kind.removesuffix("+")).detach()


def trl_scale_by_batch(rewards):
    return (rewards - group_mean(rewards)) / (rewards.std() + 1e-4)


def trl_normalize_then_sum(rewards, weights):
    """multi_objective_aggregation="normalize_then_sum" of GRPOTrainer._generate_and_score_completions."""
    parts = [weight * compute_grpo_outcome_advantage(one, True, 1e-4) for one, weight in zip(rewards.T, weights)]
    total = torch.stack(parts).sum(0)
    return (total - total.mean()) / (total.std() + 1e-4)


def estimators(rewards, mask):
    return {
        "group mean-centred (Dr. GRPO)": compute_grpo_outcome_advantage(rewards, False),
        "group mean / (sample std + 1e-6) (verl GRPO)": compute_grpo_outcome_advantage(rewards, True),
        "leave-one-out (RLOO)": compute_rloo_outcome_advantage(rewards),
        "length-weighted baseline (OPO)": compute_opo_outcome_advantage(rewards, mask.sum(1)),
        "group mean then batch whitening over tokens (REINFORCE++ baseline), per token":
            compute_reinforce_plus_plus_baseline_outcome_advantage(rewards, mask),
        "discounted return whitened over tokens (REINFORCE++), gamma 1.0, per token":
            compute_reinforce_plus_plus_outcome_advantage(rewards, mask, 1.0),
        "discounted return whitened over tokens (REINFORCE++), gamma 0.95, per token":
            compute_reinforce_plus_plus_outcome_advantage(rewards, mask, 0.95),
        "group mean / (sample std + 1e-4) (TRL scale_rewards=group)": compute_grpo_outcome_advantage(rewards, True, 1e-4),
        "group mean / (batch std + 1e-4) (TRL scale_rewards=batch)": trl_scale_by_batch(rewards),
        "group mean / (population std + 1e-8) (numpy GRPO, ddof=0)":
            (rewards - group_mean(rewards)) / (group_std(rewards, correction=0) + 1e-8),
    }


def critic_case(rewards, mask, values, new_values, gamma, lam, clip_range):
    advantages, returns = compute_gae_advantage_return(rewards, values, mask, gamma, lam)
    leaf = new_values.clone().requires_grad_()
    loss, clip_fraction = compute_value_loss(leaf, values, returns, mask, clip_range)
    loss.backward()
    return {
        "gamma": gamma,
        "lambda_": lam,
        "clipRangeValue": clip_range,
        "whitenedAdvantages": lists(advantages),
        "returns": lists(returns),
        "valueLoss": loss.item(),
        "valueClipFraction": clip_fraction.item(),
        "gradNewValues": lists(leaf.grad),
    }


KINDS = ("k1", "k2", "k3", "k3+")


def kl_estimators(logprobs, ref_logprobs):
    values, gradients = {}, {}
    for kind in KINDS:
        leaf = logprobs.clone().requires_grad_()
        kl = kl_penalty(leaf, ref_logprobs, kind)
        kl.sum().backward()
        values[kind], gradients[kind] = lists(kl), lists(leaf.grad)
    return {"logprobs": lists(logprobs), "refLogprobs": lists(ref_logprobs), "values": values, "gradLogprobs": gradients}


CRITIC_CASES = ((1.0, 1.0, 0.2), (0.99, 0.95, 0.2), (0.95, 0.9, 0.5))


def compute(inputs):
    """All outputs for inputs of the file's form."""
    given = {name: torch.tensor(value, dtype=torch.float64) for name, value in inputs.items()}
    rewards, mask = given["rewards"], given["mask"]
    values, new_values = given["values"], given["newValues"]
    return {
        "advantages": {name: lists(advantages) for name, advantages in estimators(rewards, mask).items()},
        "ppo": {
            "values": lists(values),
            "newValues": lists(new_values),
            "cases": [critic_case(rewards, mask, values, new_values, *case) for case in CRITIC_CASES],
        },
        "klEstimators": kl_estimators(given["logprobs"], given["refLogprobs"]),
        "twoRewards": {
            "rewards": lists(given["twoRewards"]),
            "weights": lists(given["weights"]),
            "normalizeThenSum": lists(trl_normalize_then_sum(given["twoRewards"], given["weights"])),
        },
    }


def make_inputs(seed):
    random = np.random.RandomState(seed)
    rewards = rounded(random.uniform(0, 1, B))
    rewards[G : 2 * G] = 0.5  # one group without spread
    logprobs = rounded(-random.gamma(2.0, 0.6, 16) - 0.01)
    two = rounded(random.uniform(0, 1, (B, 2)))
    two[: G, 1] = 1.0  # the second reward without spread in one group
    return {
        "rewards": rewards,
        "mask": response_mask(random, B, T, holes=2),
        "values": rounded(0.5 * random.standard_normal((B, T))),
        "newValues": rounded(0.5 * random.standard_normal((B, T))),
        "logprobs": logprobs,
        "refLogprobs": rounded(logprobs + 0.8 * random.standard_normal(16)),
        "twoRewards": two,
        "weights": np.array([1.0, 0.5]),
    }


def make(folder):
    inputs = make_inputs(2000)
    write_json(
        folder / "verl-advantages.json",
        {
            "source": f"formulas of verl and TRL, torch {torch.__version__.split('+')[0]}, float64",
            "shapes": f"P={P} prompts x G={G} samples (B={B}, prompt-major), T={T} tokens; mask 0 = padding or tool tokens",
            "groupSize": G,
            "rewards": lists(inputs["rewards"]),
            "mask": lists(inputs["mask"]),
            **compute(inputs),
        },
    )
