// The only file that starts workers: the engine, and those that keep models, fetch files and data sets, and read data and logs.
import type { Command } from "../../protocol/commands.ts";
import type { EngineEvent } from "../../protocol/messages.ts";
import { type EventPart, joinMessages } from "../../protocol/run/eventParts.ts";

export interface LinkListeners {
  onEvents(events: readonly EngineEvent[]): void;
  onFailure(reason: string): void;
}

/** A connection to an engine, wherever it runs. */
export interface EngineLink {
  post(command: Command): void;
  close(): void;
}

export type OpenLink = (listeners: LinkListeners) => EngineLink;

/** Start the workers that keep models, fetch a file or a data set from another place, and read data and logs. */
export const openModelsWorker = () =>
  new Worker(new URL("../../../workers/models.ts", import.meta.url), { type: "module", name: "models" });
export const openFetchWorker = () =>
  new Worker(new URL("../../../workers/fetchFile.ts", import.meta.url), { type: "module", name: "fetch" });
export const openDataWorker = () =>
  new Worker(new URL("../../../workers/dataReader.ts", import.meta.url), { type: "module", name: "data" });
export const openLogWorker = () =>
  new Worker(new URL("../../../workers/data/logReader.ts", import.meta.url), { type: "module", name: "log" });
export const openHubWorker = () =>
  new Worker(new URL("../../../workers/data/hubReader.ts", import.meta.url), { type: "module", name: "hub" });

/** Starts the trainer worker. */
export const openTrainerWorker: OpenLink = ({ onEvents, onFailure }) => {
  const worker = new Worker(new URL("../../../workers/trainer.ts", import.meta.url), { type: "module", name: "trainer" });
  let heard = false;
  const join = joinMessages();
  worker.onmessage = ({ data }: MessageEvent<readonly (EngineEvent | EventPart)[]>) => {
    heard = true;
    onEvents(join(data));
  };
  worker.onerror = (event) => {
    const reason = event.message || "its script could not be loaded";
    if (!heard) return onFailure(reason);
    // A stray error, as of a backend's thread that was only tried, ends no worker; one that did harm shows in silence.
    onEvents([{ type: "notice", runId: null, message: `Unexpected error in the engine: ${reason}` }]);
  };
  worker.onmessageerror = () => onFailure("it sent a message that could not be read");
  return { post: (command) => worker.postMessage(command), close: () => worker.terminate() };
};
