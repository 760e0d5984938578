// Messages in Protocol Buffers, as the lab's client has them, against those of the official one: test/reference/tinker-messages.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { passAnswer, sampleAnswer } from "../../../src/model/remote/answers.ts";
import { decoders, encodedPass, PASSES } from "../../../src/model/remote/protobuf.ts";

interface Messages {
  readonly requests: readonly { readonly body: object; readonly bytes: string }[];
  readonly answers: readonly { readonly kind: "pass" | "sample"; readonly bytes: string; readonly value: unknown }[];
}

const { requests, answers } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../reference/tinker-messages.json"), "utf8"),
) as Messages;

describe("protobuf", () => {
  it.each(requests)("writes a pass as the official client does ($#)", ({ body, bytes }) => {
    const pass = PASSES.forward in body ? "forward" : "forward_backward";
    expect(Buffer.from(encodedPass(pass, body)).toString("hex")).toBe(bytes);
  });

  it.each(answers)("reads a $kind that the official client's library wrote ($#)", ({ kind, bytes, value }) => {
    expect(decoders.get(kind === "pass" ? passAnswer : sampleAnswer)?.(Buffer.from(bytes, "hex"))).toEqual(value);
  });
});
