// Questions over several hops with a search tool: each example is a world of its own, whose documents can
// be reached by searching only. Worked conversations search hop by hop; a mistaken one follows the wrong
// document once and goes on from there.

import { flag, integer, section } from "../../../protocol/config/field.ts";
import { InputError } from "../../../protocol/problems.ts";
import { z } from "../../../protocol/zod.ts";
import { isOwnPrompt } from "../../data/ownPrompt.ts";
import { splitProblems } from "../../data/splitProblems.ts";
import { toolEnv } from "../../envs/toolEnv.ts";
import type { Random } from "../../random.ts";
import { em, f1, isExact } from "../../rewards/match/textMatch.ts";
import { repeatedCalls, toolErrors } from "../../rewards/reportedRewards.ts";
import { judgedByTag, taggedForm } from "../../rewards/taggedAnswer.ts";
import type { Speaker } from "../../rollout/demonstration.ts";
import { searchTool } from "../../tools/search.ts";
import type { Example, Message } from "../../types.ts";
import { SHORT_ANSWERS } from "../classic/textTask.ts";
import { defineTask } from "../task.ts";
import { makeWorld, type World } from "./world.ts";

const optionsSchema = z.strictObject(
  section("task", {
    fewestHops: integer(2, 4, 2, "Fewest hops", "Fewest facts between the question and its answer."),
    mostHops: integer(2, 4, 2, "Most hops", "Most facts between the question and its answer."),
    returned: integer(1, 5, 3, "Documents returned", "How many documents a search returns."),
    maxCalls: integer(2, 8, 5, "Most searches", "Searches that are run in one conversation."),
    announceTools: flag(
      false,
      "Describe the tool",
      "Describe the search in the system turn, some 120 tokens more. A policy trained with it knows it without.",
    ),
  }),
);

function searching(query: string): Message {
  return { role: "assistant", content: "", toolCalls: [{ id: "call-1", name: "search", arguments: { query } }] };
}

/** Searches hop by hop. @param slipAt hop at which the wrong document is followed; -1 for none. */
function searcher({ chain, queries, answer }: World, slipAt: number, random: Random): Speaker {
  let hop = 0;
  let lost: string | null = null;
  return ({ messages }) => {
    const isAstray = slipAt >= 0 && hop > slipAt;
    if (isAstray) lost = otherName(messages.at(-1)?.content ?? "", chain, random) ?? lost ?? chain[0]!;
    const at = hop++;
    if (at === queries.length) return { role: "assistant", content: `<answer>${lost ?? answer}</answer>` };
    return searching(lost === null ? queries[at]! : queries[at]!.replace(chain[at]!, lost));
  };
}

/** A name at the end of a line, but none of the chain; null where there is none. */
function otherName(found: string, chain: readonly string[], random: Random): string | null {
  const ends = found.split("\n").flatMap((line) => (line.endsWith(".") ? [line.slice(line.lastIndexOf(" ") + 1, -1)] : []));
  const others = ends.filter((name) => !chain.includes(name));
  return others.length > 0 ? random.pick(others) : null;
}

export const multiHopSearch = defineTask({
  id: "search",
  title: "Search over several hops",
  summary: "Find an answer by searching documents, each search leading to the next.",
  rendererKind: "chat",
  severalTurns: true,
  callsTools: true,
  optionsSchema,
  rewards: [em, f1, taggedForm, repeatedCalls, toolErrors],
  config: { ...SHORT_ANSWERS, checkpoint: "search", maxCompletionTokens: 40 },
  create({ fewestHops, mostHops, returned, maxCalls, announceTools }, seed) {
    if (mostHops < fewestHops) {
      const message = `taskOptions.mostHops must be >= taskOptions.fewestHops ${fewestHops}, got ${mostHops}`;
      throw new InputError([{ field: "taskOptions.mostHops", message }]);
    }
    const { trainLoader, evaluation, problemOf } = splitProblems<{ readonly hops: number; readonly world: number }>(
      {
        label: "search",
        draw: (random) => ({ hops: fewestHops + random.below(mostHops - fewestHops + 1), world: random.bits() }),
        pose({ hops, world }) {
          const { question, answer } = makeWorld(world, hops);
          return { messages: [{ role: "user", content: question }], answer };
        },
      },
      seed,
    );
    // No documents tell of what somebody asks.
    const documentsOf = (example: Example) => (isOwnPrompt(example) ? [] : worldOf(example).documents);
    const worldOf = (example: Example) => {
      const { hops, world } = problemOf(example);
      return makeWorld(world, hops);
    };
    return {
      trainLoader,
      evaluation,
      envs: {
        build: (example) => toolEnv(example, [searchTool(documentsOf(example), returned)], { maxCalls, announces: announceTools }),
      },
      maxTurns: maxCalls + 1,
      rewards: [em.part(), f1.part(), taggedForm.part(), repeatedCalls.part(), toolErrors.part()],
      ...judgedByTag,
      isSuccess: isExact,
      demonstration(example, random, noise) {
        const world = worldOf(example);
        const slips = random.uniform() < noise;
        return searcher(world, slips ? random.below(world.queries.length) : -1, random);
      },
    };
  },
});
