// Brings a pretrained model to this machine.
import { defineVerb } from "../lab/verb.ts";

export const fetchVerb = defineVerb({
  name: "fetch",
  help: "Bring a pretrained model into models/: OWNER/NAME of the Hugging Face hub, or a GGUF file.",
  operands: ["SOURCE"],
  options: {
    name: { kind: "text", value: "NAME", help: "What configurations call it, in `checkpoint` (its own name, in small letters)." },
    models: { kind: "text", value: "DIR", help: "Folder to put it in (models, where runs look for it)." },
  },
  async run({ operands, options, progress }) {
    const { fetchModel } = await import("../models/fetchModel.ts");
    const fetched = await fetchModel({ source: operands[0]!, models: options.models ?? "models", name: options.name, progress });
    const size = `${(fetched.parameters / 1e6).toFixed(1)} million weights, ${(fetched.bytes / 1e6).toFixed(0)} MB`;
    return {
      facts: { ...fetched },
      text: `${fetched.path}: ${size}, from ${fetched.from}\na run begins with it by --model ${fetched.model}, or by "checkpoint: ${fetched.model}" in its configuration`,
    };
  },
});
