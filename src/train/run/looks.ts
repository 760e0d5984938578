// What the engine is asked of the run it has: each looks at it where it stands still, and leaves it as it is.
import type { CommandHandlers, EventBody } from "../../protocol/messages.ts";
import type { Host } from "../host.ts";
import { alternativesOf } from "../queries/alternatives.ts";
import { askModel } from "../queries/askModel.ts";
import { attributionOf } from "../queries/attribution.ts";
import { measureKept } from "../queries/measure.ts";
import { otherwiseStep } from "../queries/otherwise.ts";
import { probesOf } from "../queries/probes.ts";
import { tableReader } from "../queries/rolloutTable.ts";
import type { RunDriver } from "./driver.ts";
import { exportModel, exportSave } from "./keep/takenCheckpoint.ts";
import { NO_PAIR, RecordedDriver } from "./recorded/recorded.ts";

type Look =
  | "inspect"
  | "table"
  | "pair"
  | "ask"
  | "probes"
  | "alternatives"
  | "otherwise"
  | "attribution"
  | "measure"
  | "export-model"
  | "export-save";

/** @param required the run, or its recording; throws where there is none. */
export function looksAt(
  required: () => RunDriver | RecordedDriver,
  send: (event: EventBody) => void,
  host: Host,
): Pick<CommandHandlers, Look> {
  const table = tableReader(send, host.sandbox);
  return {
    inspect: ({ step, promptIndex }) => required().inspect(step, promptIndex),
    table: (request) => table(required(), request),
    async pair({ query }) {
      const driver = required();
      if (!(driver instanceof RecordedDriver)) throw new Error(NO_PAIR);
      return driver.pair(query);
    },
    ask: (question) => required().atRest((run) => askModel(run, question)),
    probes: () => probesOf(required().run),
    alternatives(request) {
      const driver = required();
      return driver instanceof RecordedDriver ? driver.alternatives(request) : driver.atRest((run) => alternativesOf(run, request));
    },
    otherwise: (request) => otherwiseStep(required(), request, host),
    attribution: (request) => required().atRest((run) => attributionOf(run, request, send)),
    measure: async (request) => required().inspect(await required().atRest((run) => measureKept(run, request))),
    "export-model": () => required().read(exportModel),
    "export-save": () => required().atRest(exportSave),
  };
}
