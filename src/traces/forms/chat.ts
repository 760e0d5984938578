// Conversations of anyone: messages, or a prompt with a completion, and whatever stands beside them.
import { flatRollout } from "../columns/flatRollout.ts";
import { createColumns } from "../columns/roles.ts";
import type { TraceForm } from "./form.ts";

const ROLES = { names: {}, numbers: "other" } as const;

export const chat: TraceForm = {
  id: "chat",
  title: "conversations",
  matches(row, _path, { columns = {} }) {
    const found = createColumns(ROLES, columns);
    return found.cells(row).some(([{ role }]) => role === "completion" || role === "messages" || role === "answer-ids");
  },
  roles: ROLES,
  read: (row, reading) => [flatRollout(row, reading)],
};
