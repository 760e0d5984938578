"""Compares ids of texts and of conversations."""

import json
import sys

from transformers import AutoTokenizer

given = json.load(open(sys.argv[1]))
tokenizer = AutoTokenizer.from_pretrained(given["folder"])


def compare(what, wanted, got):
    if list(got) != wanted:
        sys.exit(f"{what!r}: {list(got)} there, {wanted} in the lab")
    return len(wanted)


ids = 0
for each in given["texts"]:
    ids += compare(each["text"], each["ids"], tokenizer.encode(each["text"], add_special_tokens=False))
    if tokenizer.decode(each["ids"]) != each["text"]:
        sys.exit(f"{each['text']!r} comes back as {tokenizer.decode(each['ids'])!r}")
rendered, calls = 0, 0
for each in given["conversations"]:
    options = {"tools": each["tools"] or None, "add_generation_prompt": True, "tokenize": True, "return_dict": False}
    rendered += compare(each["messages"], each["ids"], tokenizer.apply_chat_template(each["messages"], **options))
    calls += sum(len(message.get("tool_calls", [])) for message in each["messages"])
print(
    f"{ids} ids of {len(given['texts'])} texts (several scripts, joined signs, blanks, halves of marks) are the lab's, and decode to the text. "
    f"So are {rendered} ids of {len(given['conversations'])} conversations with {calls} tool calls that the chat template renders."
)
