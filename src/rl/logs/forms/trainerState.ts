// trainer_state.json of transformers' Trainer, whose log_history holds a dictionary for each time it logged, and MLflow's answers and
// exports, which list metrics point by point: {"metrics": [{"key": "loss", "value": 0.1, "step": 3}]}.
import { flatValues, isMap, type Literal, literalAt } from "../literal.ts";
import type { LogEntry, LogForm, LogValue } from "../log.ts";

/** The whole text as one literal, where it is one. */
function whole(text: string): { readonly value: Literal; readonly begin: number; readonly end: number } | null {
  const begin = text.search(/\S/);
  if (begin < 0 || !"{[".includes(text[begin]!)) return null;
  const found = literalAt(text, begin);
  return found.value !== undefined && text.slice(found.end).trim() === "" ? { value: found.value, end: found.end, begin } : null;
}

/** Points of one metric each, put together by their steps. */
function pointsOf(list: readonly Literal[]): readonly Pick<LogEntry, "step" | "values">[] | null {
  const rows = new Map<number, Record<string, LogValue>>();
  for (const point of list) {
    if (!isMap(point)) return null;
    const { key, name = key, value, step } = point;
    if (typeof name !== "string" || (typeof value !== "number" && value !== null) || typeof step !== "number") return null;
    rows.set(step, { ...rows.get(step), [name]: value });
  }
  return [...rows].map(([step, values]) => ({ step, values }));
}

export const trainerState: LogForm = {
  id: "trainer-state",
  title: "a list of steps in one JSON file (trainer_state.json, an MLflow or W&B history)",
  find(text) {
    const found = whole(text);
    if (found === null) return [];
    const { begin, end } = found;
    const top = isMap(found.value) ? found.value : { history: found.value };
    const data = isMap(top.data ?? null) ? (top.data as { readonly [name: string]: Literal }) : top;
    const list = data.log_history ?? data.metrics ?? data.metric_history ?? data.history;
    if (!Array.isArray(list)) return [];
    const points = pointsOf(list);
    if (points !== null) return points.map((point) => ({ begin, end, ...point }));
    return list.filter(isMap).map((each): LogEntry => ({ begin, end, ...flatValues(each) }));
  },
};
