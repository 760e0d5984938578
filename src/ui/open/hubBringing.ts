// A data set of the Hugging Face hub on its way to this page: what it holds, how far its files have come, and then they are opened as files
// of this machine are. Nothing is asked before somebody says so; who leaves the screen ends it.
import { useEffect, useRef, useState } from "react";
import { readModelName } from "../../protocol/models/modelName.ts";
import { showValue } from "../../protocol/problems.ts";
import type { DatasetPart, HubProgress, HubReply, HubRequest } from "../../protocol/rollouts/hubRollouts.ts";
import { openHubWorker } from "../engine/openWorkers.ts";
import { openFiles } from "./openFiles.ts";

/** Who is asked. */
export const HUB_HOST = new URL(import.meta.env.VITE_HUB_ENDPOINT || "https://huggingface.co").host;

interface HubFacts {
  readonly dataset: string | null;
  /** Its parts, and which of them is meant. */
  readonly parts: readonly DatasetPart[];
  readonly chosen: number;
  /** What is under way: the question, or files that come. */
  readonly work: "asking" | HubProgress | null;
  readonly problem: string | null;
}

export interface HubBringing {
  readonly facts: HubFacts;
  /** Asks which parts a data set has; where it is one, that comes at once. */
  ask(typed: string): void;
  choose(part: number): void;
  /** Brings the files of the part that is meant, and opens them. */
  bring(): void;
  /** What has come is let go. */
  stop(): void;
}

const NOTHING: HubFacts = { dataset: null, parts: [], chosen: 0, work: null, problem: null };

export function useHub(): HubBringing {
  const worker = useRef<Worker | null>(null);
  const [facts, setFacts] = useState(NOTHING);
  useEffect(() => () => worker.current?.terminate(), []);

  const tell = (change: Partial<HubFacts>) => setFacts((before) => ({ ...before, ...change }));
  function end(change: Partial<HubFacts>): void {
    worker.current?.terminate();
    tell({ work: null, ...change });
  }
  function request(asked: HubRequest): void {
    end({ work: "asking", problem: null });
    worker.current = openHubWorker();
    worker.current.onmessage = ({ data }: MessageEvent<HubReply>) => hear(asked.dataset, data);
    worker.current.onerror = ({ message }) => end({ problem: message || "what brings data sets could not be loaded" });
    worker.current.postMessage(asked);
  }
  function hear(dataset: string, reply: HubReply): void {
    if (reply.type === "problem") end({ problem: reply.message });
    else if (reply.type === "progress") tell({ work: reply });
    else if (reply.type === "files") {
      end({});
      void openFiles(reply.files);
    } else {
      const { parts, usual } = reply;
      end({ parts, chosen: usual });
      if (parts.length === 1) bring(dataset, parts[usual]);
    }
  }
  function bring(dataset: string | null, part: DatasetPart | undefined): void {
    if (dataset !== null && part) request({ does: "bring", dataset, split: part.split, urls: part.urls });
  }
  return {
    facts,
    ask(typed) {
      const name = readModelName(typed);
      if (name?.kind !== "hub" || name.revision !== null)
        return end({ ...NOTHING, problem: `The data set must be named OWNER/NAME, got ${showValue(typed)}` });
      tell({ ...NOTHING, dataset: name.repository });
      request({ does: "list", dataset: name.repository });
    },
    choose: (chosen) => tell({ chosen }),
    bring: () => bring(facts.dataset, facts.parts[facts.chosen]),
    stop: () => end({}),
  };
}
