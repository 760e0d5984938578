// Which version this is.
import { readFile } from "node:fs/promises";
import { defineVerb } from "../lab/verb.ts";
import { packagePath } from "../nodeHost.ts";

export const version = defineVerb({
  name: "version",
  help: "Say which version this is.",
  operands: [],
  options: {},
  async run() {
    const { name, version } = JSON.parse(await readFile(packagePath("package.json"), "utf8")) as {
      readonly name: string;
      readonly version: string;
    };
    return { facts: { name, version, node: process.versions.node }, text: `${name} ${version} (Node ${process.versions.node})` };
  },
});
