// This lab's own trajectories.jsonl: a line for each conversation with all that the run knew of it.
import { NO_TOKEN } from "../../protocol/records.ts";
import { groupOf, isWhole } from "../../rl/rollout/recordedLine.ts";
import { TraceError } from "../containers/container.ts";
import { type FoundPart, type FoundRollout, numberOf } from "../rollout.ts";
import type { TraceForm } from "./form.ts";
import { apartOf } from "./perToken.ts";

export const lab: TraceForm = {
  id: "lab",
  title: "this lab's conversations",
  matches: (row) => ["promptTokens", "pieces", "lossWeights", "member"].every((key) => Object.hasOwn(row, key)),
  roles: {
    names: {
      step: "step",
      prompt: "group",
      answer: "answer",
      reward: "reward",
      advantage: "advantage",
      stopReason: "stop",
      success: "success",
      messages: "messages",
      text: "completion",
      member: "other",
      opening: "other",
      exampleId: "other",
    },
    numbers: "other",
    areFixed: true,
  },
  read(row, { columns, seen }) {
    columns.cells(row);
    const group = isWhole(row) ? groupOf([row]) : null;
    const [record] = group?.trajectories ?? [];
    if (!group || !record) throw new TraceError("lacks what a conversation of this lab has, such as the text of each token");
    // Rollouts that were made elsewhere may have been saved as lines of this lab, words for tokens and all.
    seen.tokens.add(record.tokens.includes(NO_TOKEN) ? "words" : "decoded ids");
    const { oldLogprobs, trainLogprobs, refLogprobs } = record.channels;
    if (oldLogprobs) seen.logprobs.add("sampler");
    if (trainLogprobs) seen.logprobs.add("trainer");
    if (refLogprobs) seen.logprobs.add("reference");
    const { promptTokens, promptPieces, messages: opening } = group;
    const found: FoundRollout = {
      step: group.step,
      group: String(group.promptIndex),
      exampleId: group.exampleId,
      answer: group.answer,
      reward: record.reward,
      advantage: record.advantage,
      success: record.success,
      stopReason: record.stopReason,
      parts: record.rewardParts.map(({ name, value, weight }): FoundPart => ({ name, value: numberOf(value), weight: numberOf(weight) })),
      apart: apartOf(oldLogprobs, trainLogprobs, record.channels.mask),
      length: record.sampled.reduce((sum, flag) => sum + flag, 0),
      said: () => ({
        opening,
        messages: record.messages,
        prompt: { tokens: promptTokens, pieces: promptPieces },
        answer: { tokens: record.tokens, pieces: record.pieces },
        sampled: record.sampled,
        text: record.text,
        channels: {},
        record,
      }),
    };
    return [found];
  },
};
