// The question before code runs that came by a link, a file or a saved run: it is shown, and waits for an answer.
import { create } from "zustand";
import { codeIn } from "../../protocol/config/customRewards.ts";
import { isRead, markRead } from "./sourcesRead.ts";

interface NamedCode {
  readonly name: string;
  readonly source: string;
}

interface CodeQuestion {
  /** What is to be read; nothing while nothing is asked. */
  readonly unread: readonly NamedCode[];
  readonly answer: (isAllowed: boolean) => void;
}

const NOTHING: CodeQuestion = { unread: [], answer: () => {} };

export const useCodeQuestion = create<CodeQuestion>()(() => NOTHING);

/** Resolves once all code of the configurations may run; rejects where its reader says no. */
export async function untilRead(...configs: readonly Parameters<typeof codeIn>[0][]): Promise<void> {
  const bySource = new Map(configs.flatMap(codeIn).map((code) => [code.source, code]));
  const unread = [...bySource.values()].filter(({ source }) => !isRead(source));
  if (unread.length > 0) {
    useCodeQuestion.getState().answer(false);
    const isAllowed = await new Promise<boolean>((resolve) => useCodeQuestion.setState({ unread, answer: resolve }));
    useCodeQuestion.setState(NOTHING);
    if (!isAllowed) throw new Error("the configuration's own code was not allowed to run");
  }
  // Of what was typed here too: it is known when the page is opened again.
  if (bySource.size > 0) markRead([...bySource.keys()]);
}
