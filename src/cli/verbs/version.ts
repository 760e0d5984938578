// Which version this is.
import { defineVerb } from "../lab/verb.ts";
import { readPackageFacts } from "../packageFiles.ts";

export const version = defineVerb({
  name: "version",
  help: "Say which version this is.",
  operands: [],
  options: {},
  async run() {
    const { name, version } = await readPackageFacts();
    return { facts: { name, version, node: process.versions.node }, text: `${name} ${version} (Node ${process.versions.node})` };
  },
});
