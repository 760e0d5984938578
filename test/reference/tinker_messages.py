"""tinker-messages.json: messages of the Tinker API in Protocol Buffers, as the official client makes and reads them.

Requests for a pass are what its own function makes of them; what passes and samples come to are written with its own message types, as
a server writes them, and read with its own functions.
"""

import numpy as np
from tinker import types
from tinker.proto import tinker_public_pb2 as pb
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.proto.response_conv import deserialize_forward_backward_output, deserialize_sample_response

from reference_io import write_json

LOGPROBS = [[-0.5, -1.25, -3.0], [-0.125]]


def tensor(data, dtype="float32"):
    return {"data": data, "dtype": dtype, "shape": [len(data)]}


def body(kind, number, loss_fn, inputs, config=None):
    target_tokens = tensor([6, 7, 2**17], "int64")
    # Names in order, as messages have them that are written to be compared.
    inputs = dict(sorted({**inputs, "target_tokens": target_tokens}.items()))
    datum = {"model_input": {"chunks": [{"type": "encoded_text", "tokens": [5, 6, 7]}]}, "loss_fn_inputs": inputs}
    given = {"data": [datum, datum], "loss_fn": loss_fn, **({"loss_fn_config": config} if config else {})}
    return {"model_id": "model_1", f"{kind}_input": given, "seq_id": number}


def request_bytes(case):
    given = case.get("forward_input") or case["forward_backward_input"]
    data = [
        types.Datum(
            model_input=types.ModelInput.from_ints(datum["model_input"]["chunks"][0]["tokens"]),
            loss_fn_inputs={name: types.TensorData(**each) for name, each in datum["loss_fn_inputs"].items()},
        )
        for datum in given["data"]
    ]
    inputs = types.ForwardBackwardInput(data=data, loss_fn=given["loss_fn"], loss_fn_config=given.get("loss_fn_config"))
    request = types.ForwardBackwardRequest(model_id=case["model_id"], seq_id=case["seq_id"], forward_backward_input=inputs)
    message = forward_backward_request_to_proto(request)
    message.forward_only = "forward_input" in case
    return message.SerializeToString(deterministic=True).hex()


def pass_answer(dtype, data):
    size = data.dtype.itemsize
    output = pb.ForwardBackwardOutput(loss_fn_output_type="ArrayRecord", metrics={"loss:sum": 1.5})
    record = output.loss_fn_outputs.add(num_datums=2)
    for name in ("elementwise_loss", "logprobs"):
        record.fields[name].data = data.tobytes() if name == "logprobs" else bytes(4 * size)
        record.fields[name].offsets = np.asarray([0, 3 * size, 4 * size], np.int64).tobytes()
        record.fields[name].dtype = dtype
    written = output.SerializeToString(deterministic=True)
    read = deserialize_forward_backward_output(written)
    outputs = [{"logprobs": {"data": each["logprobs"].tolist()}} for each in read.loss_fn_outputs]
    return {"kind": "pass", "bytes": written.hex(), "value": {"loss_fn_outputs": outputs, "metrics": read.metrics}}


def sample_answer():
    output = pb.SampleResponse(prompt_logprobs=np.asarray([np.nan, -1.5], np.float32).tobytes(), prompt_cache_hit_tokens=7)
    for reason, tokens in [(pb.STOP_REASON_STOP, [5, 2]), (pb.STOP_REASON_LENGTH, [70000, 1])]:
        numbers = np.asarray([-0.25, -4], np.float32).tobytes()
        output.sequences.add(stop_reason=reason, tokens=np.asarray(tokens, np.int32).tobytes(), logprobs=numbers)
    written = output.SerializeToString(deterministic=True)
    read = deserialize_sample_response(written)
    sequences = [
        {"tokens": list(map(int, each.tokens)), "logprobs": list(map(float, each.logprobs)), "stop_reason": each.stop_reason}
        for each in read.sequences
    ]
    return {"kind": "sample", "bytes": written.hex(), "value": {"sequences": sequences, "prompt_logprobs": read.prompt_logprobs}}


def make(folder):
    halves = [-0.5, 0.0, 1.25]
    bodies = [
        body("forward", 1, "cross_entropy", {"weights": tensor([1.0, 1.0, 1.0])}),
        body("forward_backward", 2, "cross_entropy", {"weights": tensor(halves)}),
        body("forward_backward", 300, "importance_sampling", {"logprobs": tensor([0.0, -1.5, -0.25]), "advantages": tensor(halves)}),
        body(
            "forward_backward",
            4,
            "ppo",
            {"logprobs": tensor([0.0, -1.5, -0.25]), "advantages": tensor(halves)},
            {"clip_high_threshold": 1.28, "clip_low_threshold": 0.8},
        ),
    ]
    flat = np.concatenate([np.asarray(each, np.float32) for each in LOGPROBS])
    upper = (flat.view(np.uint32) >> 16).astype(np.uint16)
    answers = [pass_answer(pb.DTYPE_FLOAT32, flat), pass_answer(pb.DTYPE_BFLOAT16, upper), sample_answer()]
    requests = [{"body": case, "bytes": request_bytes(case)} for case in bodies]
    write_json(folder / "tinker-messages.json", {"source": "tinker 0.38.0", "requests": requests, "answers": answers})
