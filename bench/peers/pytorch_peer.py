"""The PyTorch peer of the benchmark: the same transformer, workload and optimizer in plain PyTorch,
made as fast as eager code gets (fused QKV and gate-up, SDPA, foreach AdamW, preallocated KV cache,
inference mode), and the same through torch.compile. Reads one JSON request a line from standard input
and answers each with one JSON line, so that the benchmark can alternate with its other peers."""
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F


class Block(torch.nn.Module):
    def __init__(self, d, heads, f):
        super().__init__()
        self.heads, self.hd = heads, d // heads
        self.n1, self.n2 = torch.nn.RMSNorm(d, eps=1e-5), torch.nn.RMSNorm(d, eps=1e-5)
        self.qkv = torch.nn.Linear(d, 3 * d, bias=False)
        self.o = torch.nn.Linear(d, d, bias=False)
        self.gu = torch.nn.Linear(d, 2 * f, bias=False)
        self.down = torch.nn.Linear(f, d, bias=False)

    def rope(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def project(self, x, cos, sin):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, self.hd).permute(2, 0, 3, 1, 4)
        return self.rope(q, cos, sin), self.rope(k, cos, sin), v

    def rest(self, x, attended):
        b, t, d = x.shape
        x = x + self.o(attended.transpose(1, 2).reshape(b, t, d))
        g, u = self.gu(self.n2(x)).chunk(2, -1)
        return x + self.down(F.silu(g) * u)

    def forward(self, x, cos, sin):
        q, k, v = self.project(x, cos, sin)
        return self.rest(x, F.scaled_dot_product_attention(q, k, v, is_causal=True))

    def prefill(self, x, cos, sin, cache, group):
        q, k, v = self.project(x, cos, sin)
        for held, new in zip(cache, (k, v)):
            held[:, :, : x.shape[1]] = new.repeat_interleave(group, 0)
        return self.rest(x, F.scaled_dot_product_attention(q, k, v, is_causal=True))

    def decode(self, x, cos, sin, cache, t):
        q, k, v = self.project(x, cos, sin)
        cache[0][:, :, t : t + 1], cache[1][:, :, t : t + 1] = k, v
        return self.rest(x, F.scaled_dot_product_attention(q, cache[0][:, :, : t + 1], cache[1][:, :, : t + 1]))


class Llama(torch.nn.Module):
    def __init__(self, size, positions):
        super().__init__()
        d = size["hiddenSize"]
        self.size, self.hd = size, d // size["heads"]
        self.embed = torch.nn.Embedding(size["vocabularySize"], d)
        self.blocks = torch.nn.ModuleList(Block(d, size["heads"], size["intermediateSize"]) for _ in range(size["layers"]))
        self.norm = torch.nn.RMSNorm(d, eps=1e-5)
        for p in self.parameters():
            if p.dim() > 1:
                torch.nn.init.normal_(p, std=0.02)
        t = torch.arange(max(256, positions)).float()[:, None] * 10000.0 ** (-torch.arange(0, self.hd, 2).float() / self.hd)
        self.register_buffer("cos", t.cos())
        self.register_buffer("sin", t.sin())

    def forward(self, ids, keep):
        t = ids.shape[1]
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, self.cos[:t], self.sin[:t])
        return F.linear(self.norm(x[:, -keep:]), self.embed.weight)


def ppo_loss(logits, targets, old, advantages):
    logp = F.log_softmax(logits, -1).gather(-1, targets[..., None])[..., 0]
    ratio = (logp - old).exp()
    return -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()


class Peer:
    def __init__(self, size, batch, length, compiled, talk):
        torch.manual_seed(0)
        self.batch, self.length = batch, length
        self.prompt, self.group = (talk["promptTokens"], talk["group"]) if talk else (1, 1)
        if talk and talk["turns"] > 1:
            raise ValueError("this loop has one turn")
        self.model = Llama(size, self.prompt + length)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, weight_decay=0.01, foreach=True)
        prompts = torch.randint(0, size["vocabularySize"], (batch // self.group, self.prompt))
        sampled = torch.randint(0, size["vocabularySize"], (batch, length))
        self.ids = torch.cat((prompts.repeat_interleave(self.group, 0), sampled), 1)
        self.advantages = torch.randn(batch, 1)
        self.old = torch.full((batch, length), -6.0)
        self.forward = torch.compile(self.model) if compiled else self.model

    def train(self):
        logits = self.forward(self.ids[:, :-1], self.length)
        loss = ppo_loss(logits, self.ids[:, -self.length :], self.old, self.advantages)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    @torch.inference_mode()
    def decode(self):
        m = self.model
        # All of a prompt but its last token is computed once for its group.
        first = self.prompt - 1
        shape = (self.batch, m.size["heads"], first + self.length, m.hd)
        caches = [(torch.empty(shape), torch.empty(shape)) for _ in m.blocks]
        if first > 0:
            x = m.embed(self.ids[:: self.group, :first])
            for block, cache in zip(m.blocks, caches):
                x = block.prefill(x, m.cos[:first], m.sin[:first], cache, self.group)
        token = self.ids[:, first : first + 1]
        for t in range(first, first + self.length):
            x = m.embed(token)
            for block, cache in zip(m.blocks, caches):
                x = block.decode(x, m.cos[t : t + 1], m.sin[t : t + 1], cache, t)
            logp = F.log_softmax(F.linear(m.norm(x[:, 0]), m.embed.weight), -1)
            token = torch.multinomial(logp.exp(), 1)
            logp.gather(-1, token)


def gemm_gflops(n=1024, repeats=8):
    a, b = torch.randn(n, n), torch.randn(n, n)
    a @ b
    start = time.perf_counter()
    for _ in range(repeats):
        a @ b
    return 2 * n**3 * repeats / (time.perf_counter() - start) / 1e9


def peak_mib():
    """Largest resident set of this process; the system counts in KiB, macOS in bytes."""
    # Linux's resource usage starts at the parent's size, so its own status is read first.
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def main():
    peers = {}
    base_mib = peak_mib()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "describe":
                torch.set_num_threads(request.get("threads", torch.get_num_threads()))
                answer = {"version": torch.__version__, "gemmGflops": gemm_gflops()}
            elif request["do"] == "memory":
                answer = {"peakMiB": peak_mib(), "baseMiB": base_mib}
            else:
                torch.set_num_threads(request["threads"])
                asked = [request[name] for name in ("size", "batch", "length", "compiled")] + [request.get("conversations")]
                key = json.dumps(asked)
                if key not in peers:
                    peers[key] = Peer(*asked)
                    getattr(peers[key], "train")()
                    peers[key].decode()
                work = getattr(peers[key], request["do"])
                times = []
                for _ in range(request["repeats"]):
                    start = time.perf_counter()
                    work()
                    times.append((time.perf_counter() - start) * 1000)
                answer = {"ms": times}
        except Exception as error:  # the benchmark reports what failed and goes on without this peer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
