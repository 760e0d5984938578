// The official client against the project's own small server, which the lab's own client is tested with: our reading of the Tinker API, held
// from both sides. Single messages are held in npm test (test/reference/tinker-messages.json).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { createTokenizer } from "../../../src/model/renderers/tokenizer.ts";
import { serveTinker } from "../../../test/support/tinkerHttp.ts";
import { TinkerServer } from "../../../test/support/tinkerServer.ts";
import { projectRoot } from "../../environment.mjs";
import type { Check } from "../check.ts";

export const officialClient: Check = {
  name: "tinker-client",
  title: "The official Tinker client against the project's own server",
  packages: ["tinker", "protobuf", "numpy"],
  async run({ folder, python }) {
    const tokenizer = JSON.parse(readFileSync(join(projectRoot, "public", "tokenizers", "lab", "tokenizer.json"), "utf8")) as unknown;
    const renderer = createChatRenderer(createTokenizer(tokenizer));
    const prompt = renderer.renderPrompt({ messages: [{ role: "user", content: "What is 12 + 30?" }], tools: [] });
    writeFileSync(join(folder, "cases.json"), JSON.stringify({ prompt, stop: renderer.stopTokens }));
    const served = await serveTinker(new TinkerServer());
    try {
      return await python("tinker_client.py", served.url, "cases.json");
    } finally {
      served.close();
    }
  },
};
