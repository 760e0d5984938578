// A server on this machine alone that holds conversations for another program's training. Each thing that is asked is an
// exchange: it begins, then answers in turn with an order of turns to sample, until it has its result. Only who knows the
// token is answered, so nobody else on the machine can have custom code called.
//   POST /begin    { client, what: "rollouts", problems } or { client, what: "evaluate", step }
//   POST /sampled  { client, turns }
//   each answered with { sample } or { result }, or with status 400 and { error }
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText, parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { SampleElsewhere, TurnOrder } from "./elsewherePolicy.ts";
import { HeldRollouts, type RolloutParts } from "./heldRollouts.ts";

/** What an exchange comes to next. */
type Answer = { readonly sample: TurnOrder } | { readonly result: unknown };

interface Exchange {
  /** Hands over what was sampled; resolves to what comes next. */
  give(turns: readonly (readonly number[])[]): Promise<Answer>;
}

const ids = z.array(z.int().min(0));
const beginSchema = z.discriminatedUnion("what", [
  z.strictObject({ client: z.string(), what: z.literal("rollouts"), problems: z.array(z.int().min(0)).min(1) }),
  z.strictObject({ client: z.string(), what: z.literal("evaluate"), step: z.int().min(0) }),
]);
const sampledSchema = z.strictObject({ client: z.string(), turns: z.array(ids) });

/** Work that now and then waits for turns, as a conversation with whoever samples them. */
function openExchange(work: (sample: SampleElsewhere) => Promise<unknown>): {
  readonly first: Promise<Answer>;
  readonly exchange: Exchange;
} {
  let tell: { readonly answer: (answer: Answer) => void; readonly fail: (error: unknown) => void };
  let given: ((turns: readonly (readonly number[])[]) => void) | null = null;
  const next = () =>
    new Promise<Answer>((answer, fail) => {
      tell = { answer, fail };
    });
  const first = next();
  const sample: SampleElsewhere = (order) =>
    new Promise((resolve) => {
      given = resolve;
      tell.answer({ sample: order });
    });
  work(sample).then(
    (result) => tell.answer({ result }),
    (error: unknown) => tell.fail(error),
  );
  return {
    first,
    exchange: {
      give(turns) {
        if (!given) throw new Error("nothing is to be sampled now");
        const coming = next();
        given(turns);
        given = null;
        return coming;
      },
    },
  };
}

/** Most bytes of a request: the ids of all conversations of a step. */
const MOST_BYTES = 2 ** 28;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`a request must have at most ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export interface RolloutServer {
  readonly url: string;
  readonly token: string;
  close(): void;
}

/** Answers requests about one run. */
function answering(held: HeldRollouts) {
  const exchanges = new Map<string, Exchange>();
  return async (path: string, body: unknown): Promise<Answer> => {
    if (path === "/sampled") {
      const { client, turns } = parseOrThrow(sampledSchema, body);
      const exchange = exchanges.get(client);
      if (!exchange) throw new Error("nothing was begun that waits for turns");
      return exchange.give(turns);
    }
    const asked = parseOrThrow(beginSchema, body);
    const { first, exchange } = openExchange((sample) =>
      asked.what === "rollouts" ? held.rollouts(asked.problems, sample) : held.evaluate(asked.step, sample),
    );
    // What a client that is gone had begun is forgotten with its next one.
    exchanges.set(asked.client, exchange);
    return first;
  };
}

/** Starts the server of a run on a free port of this machine. */
export async function startRolloutServer(parts: RolloutParts): Promise<RolloutServer> {
  const token = randomBytes(24).toString("base64url");
  const answer = answering(new HeldRollouts(parts));
  const send = (response: ServerResponse, status: number, value: unknown) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const server = createServer((request, response) => {
    const { method, url = "" } = request;
    if (!hasToken(request, token)) return send(response, 401, { error: "the token is not the run's" });
    if (method !== "POST" || (url !== "/begin" && url !== "/sampled"))
      return send(response, 404, { error: `there is no ${method} ${url}` });
    return void bodyOf(request)
      .then((body) => answer(url, body))
      .then(
        (value) => send(response, 200, value),
        (error: unknown) => send(response, 400, { error: errorText(error) }),
      );
  });
  // A step may be sampled for as long as it takes.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
