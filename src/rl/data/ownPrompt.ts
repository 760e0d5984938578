// What somebody asks of a policy in the place of its task's own problems. A prompt that reads like one of them is that
// problem; any other opens the conversation all the same, and nobody knows what would answer it.
import { InputError } from "../../protocol/problems.ts";
import type { TaskInstance } from "../tasks/task.ts";
import type { Example } from "../types.ts";

const ID = "prompt";

/** Whether this is a problem of nobody's, with an empty answer: environments must take it, and no verdict on it means anything. */
export function isOwnPrompt({ id }: Pick<Example, "id">): boolean {
  return id === ID;
}

/** Where the last user message stands; -1 where there is none. */
export function lastUserIn(messages: Example["messages"]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}

/** The opening of another problem, asking this. */
export function withPrompt(messages: Example["messages"], prompt: string): Example["messages"] {
  const last = lastUserIn(messages);
  return messages.map((message, i) => (i === last ? { ...message, content: prompt } : message));
}

/**
 * The problem that a prompt asks: one of these, one that the task reads in it, or one of nobody's.
 * @param examples problems of the task, at least one.
 * @throws InputError where only a text of some form opens a conversation of the task.
 */
export function problemAsked(task: TaskInstance, prompt: string, examples: readonly Example[]): Example {
  const own = examples.find(({ messages }) => messages[lastUserIn(messages)]?.content.trim() === prompt.trim());
  if (own) return own;
  const [first] = examples;
  if (!first) throw new Error("internal: a task without held-out problems");
  const read = task.asks?.(prompt.trim());
  if (read === null) {
    const form = first.messages[lastUserIn(first.messages)]?.content ?? "";
    throw new InputError([
      {
        field: "prompt",
        message: `prompt must have the form ${JSON.stringify(form)} for this task, got ${JSON.stringify(prompt.slice(0, 60))}`,
      },
    ]);
  }
  return read ?? { id: ID, messages: withPrompt(first.messages, prompt), answer: "" };
}
