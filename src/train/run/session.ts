// The whole engine behind two calls: commands in, events out. Every command gets exactly one answer; one that cannot be
// carried out changes nothing.
import { type Command, commandSchema } from "../../protocol/commands.ts";
import { type CommandHandlers, dispatch, type EngineEvent, type Failed } from "../../protocol/messages.ts";
import { errorText, InputError, isRecord, Overtaken, parseOrThrow } from "../../protocol/problems.ts";
import { catalog } from "../catalog.ts";
import type { Host } from "../host.ts";
import { TakenError } from "../save/savedRuns.ts";
import { triedHere } from "../start/runRewards.ts";
import { triesOn } from "../tried/tryTask.ts";
import { CurrentRun } from "./currentRun.ts";
import { looksAt } from "./looks.ts";
import { filesInheriting, openInTurn, saveHandlers } from "./resume/fromSave.ts";

export interface Session {
  /** Checks a command and carries it out; resolves once it is answered. */
  handle(command: unknown): Promise<void>;
  /** Ends the run, whose save stays, and frees its models; resolves once nothing is left. Nothing may be asked afterwards. */
  close(): Promise<void>;
}

/** Starts an engine on a host and announces it with a "ready" event. */
export async function createSession(emit: (event: EngineEvent) => void, host: Host): Promise<Session> {
  emit({ type: "ready", runId: null, catalog });
  const current = new CurrentRun(emit, host);
  const handlers = handlersOf(current);
  return {
    async handle(data) {
      try {
        const command = parseOrThrow(commandSchema, data);
        const result = await dispatch<Command, [], unknown>(handlers, command);
        // One handler for each command says which result belongs to it.
        emit({ type: "answer", runId: current.runId, outcome: "done", id: command.id, command: command.type, result } as EngineEvent);
      } catch (error) {
        emit({ type: "answer", runId: current.runId, ...failedAnswer(data, error) });
      }
    },
    close: () => current.close(),
  };
}

function handlersOf(current: CurrentRun): CommandHandlers {
  const { host } = current;
  return {
    async start({ runId, config, paused, inherit }) {
      await current.start(runId, inherit ? await filesInheriting(current.required(), config) : { config }, null, paused);
    },
    ...saveHandlers(current),
    open: (command) => openInTurn(current, command, current.opening(command)),
    pause: () => current.pause(),
    resume: ({ until }) => current.resume(until),
    advance: ({ unit }) => current.advance(unit),
    stop: () => current.stop(),
    reset: () => current.reset(),
    set: ({ settings }) => current.set(settings),
    pace: ({ delayMs }) => {
      current.delayMs = delayMs;
    },
    ...triesOn(host, (event) => current.send(event)),
    ...looksAt(
      () => current.required(),
      (event) => current.send(event),
      host,
    ),
    "try-reward": (request) => triedHere(request, host),
    save: () => current.driver?.autosave.stored(),
  };
}

/**
 * What is answered to a command that could not be carried out.
 * @param data the command as it came; it may have nothing right but its id.
 */
function failedAnswer(data: unknown, error: unknown): Failed {
  const message = errorText(error);
  const field = error instanceof InputError ? error.problems[0]?.field : undefined;
  return {
    outcome: "failed",
    id: isRecord(data) && typeof data.id === "number" ? data.id : null,
    message,
    ...(field === undefined ? {} : { field }),
    ...(error instanceof Overtaken ? { overtaken: true } : {}),
    ...(error instanceof TakenError ? { inOtherTab: true } : {}),
  };
}
