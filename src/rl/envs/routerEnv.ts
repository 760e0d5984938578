// The conversation of Router-R1: the policy thinks, asks experts between <search> tags, reads what they say
// between <information> tags, and answers. Each turn of the policy ends where it waits for an expert.
import type { TurnView } from "../../protocol/records.ts";
import { enclosed } from "../rewards/taggedAnswer.ts";
import type { Env, Example, Message } from "../types.ts";
import { dialogueEnv } from "./dialogue.ts";

/** What an expert says and costs; null for an unknown expert. */
type AskExpert = (name: string, query: string) => { readonly name: string; readonly answer: string; readonly price: number } | null;

/** A fresh conversation. @param maxCalls experts that are asked; one call more is told so, another ends the conversation. */
export function routerEnv(example: Example, ask: AskExpert, maxCalls: number): Env {
  let routes = 0;
  let cost = 0;
  let refused = 0;

  function answerCall(content: string, views: TurnView[]): Message {
    const result = (text: string): Message => ({ role: "tool", content: text, resultMark: "information" });
    const colon = content.indexOf(":");
    const query = content.slice(colon + 1).trim();
    const said = colon < 0 || query === "" ? null : ask(content.slice(0, colon), query);
    if (routes >= maxCalls) {
      refused += 1;
      return result("no more calls");
    }
    if (said === null) return result("None");
    routes += 1;
    cost += said.price;
    views.push({ kind: "expert", name: said.name, query, price: said.price });
    return result(said.answer);
  }

  return dialogueEnv({
    opening: { messages: example.messages },
    respond({ content }) {
      if (enclosed(content, ["answer"]).length > 0) return { messages: null };
      const calls = enclosed(content, ["search"]).map((call) => call.content);
      if (calls.length === 0) return { messages: null, stopReason: "parse-error" };
      if (refused > 0) return { messages: null, stopReason: "max-calls" };
      const views: TurnView[] = [];
      const messages = calls.map((call) => answerCall(call, views));
      return { messages, turn: { views } };
    },
    metrics: () => ({ route_count: routes, cost }),
  });
}
