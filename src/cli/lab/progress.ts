// What is told on stderr while a verb works: JSON lines for programs, one line that is drawn over and over
// for people at a terminal, nothing where neither reads.
import { short } from "../../export/writtenRun.ts";
import { visible } from "./exit.ts";
import { duration, sparkline } from "./texts.ts";

/** Something that happened, with a type of its own. */
interface ProgressEvent {
  readonly type: "preparing" | "step" | "evaluation" | "baseline" | "notice" | "started" | "part";
  readonly [fact: string]: unknown;
}

/** How far a run is. */
export interface Advance {
  readonly step: number;
  /** 0 where it has no end. */
  readonly of: number;
  /** Of every step so far; asked for only when the line is drawn, which is more seldom than quick steps are. */
  readonly rewards: () => readonly number[];
  /** Seconds since its first step of this process, and that one's number less one. */
  readonly seconds: number;
  readonly from: number;
}

export interface Progress {
  /** For programs; of it people at a terminal are shown the notices, which stay there unless they pass. */
  tell(event: ProgressEvent): void;
  /** For people: what is being done. */
  doing(what: string): void;
  /** For people: how far a run is. */
  at(advance: Advance): void;
  /** Ends the line for people. */
  end(): void;
}

/** Where progress is told: stderr. */
export interface Terminal {
  readonly isTTY: boolean | undefined;
  readonly columns: number | undefined;
  write(text: string): void;
}

const BAR = 20;
const DRAW_EVERY_MS = 100;

function barOf({ step, of, rewards: rewardsSoFar, seconds, from }: Advance): string {
  const rewards = rewardsSoFar();
  const spark = `reward ${short(rewards.at(-1))} ${sparkline(rewards, 16)}`;
  if (of === 0) return `step ${step}  ${spark}  ${duration(seconds)}`;
  const share = Math.min(1, step / of);
  const filled = Math.round(share * BAR);
  const left = step > from ? `, ${duration((seconds / (step - from)) * (of - step))} left` : "";
  return `[${"#".repeat(filled)}${"-".repeat(BAR - filled)}] ${step}/${of}  ${spark}${left}`;
}

/** One line at a terminal. */
function terminalProgress(stream: Terminal): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  const draw = (lineNow: () => string, isForced: boolean) => {
    if (!isForced && performance.now() - drawnAt < DRAW_EVERY_MS) return;
    drawnAt = performance.now();
    isDrawn = true;
    const line = visible(lineNow().replaceAll("\n", " "));
    stream.write(`\r\x1b[2K${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
  };
  const end = () => {
    if (isDrawn) stream.write("\r\x1b[2K");
    isDrawn = false;
  };
  return {
    tell(event) {
      if (event.type !== "notice" || event.passing !== undefined) return;
      end();
      stream.write(visible(`${event.message}\n`));
    },
    doing: (what) => draw(() => what, true),
    at: (advance) => draw(() => barOf(advance), advance.step === advance.of),
    end,
  };
}

const nothing = () => {};
const SILENT: Progress = { tell: nothing, doing: nothing, at: nothing, end: nothing };

/** @param form what was asked for; by itself people at a terminal are shown progress and nobody else. */
export function createProgress(form: "json" | "none" | undefined, isJson: boolean, stream: Terminal): Progress {
  if (form === "json") return { ...SILENT, tell: (event) => stream.write(visible(`${JSON.stringify(event)}\n`)) };
  return form === undefined && !isJson && stream.isTTY ? terminalProgress(stream) : SILENT;
}
