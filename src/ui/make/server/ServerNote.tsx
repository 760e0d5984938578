// Beside the choice "On a server": which server the page's own passes requests on to and what models it has, or how to get one. Address and
// key stay with the page's server; here only a name is known.
import { useCallback, useEffect, useState } from "react";
import { fetchedFile } from "../../../protocol/models/fetched.ts";
import { OWN_MODELS, readModelName } from "../../../protocol/models/modelName.ts";
import {
  checkpointOnServer,
  readServedServer,
  type ServedServer,
  TOKENIZER_CACHE,
  tokenizerAddresses,
} from "../../../protocol/models/servedServer.ts";
import { edit } from "../../engine/draftActions.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { useQuestion } from "../../engine/store/useQuestion.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import "./server.css";

type Found = ServedServer | "asking" | "none";

/** What the page's server says. */
async function askForServer(): Promise<Found> {
  const response = await fetch("tinker/served.json", { cache: "no-store" }).catch(() => null);
  return (await readServedServer(response)) ?? "none";
}

/** Keeps the tokenizer of a model of the hub, which its server has not: a few small files and no weights. */
async function bringTokenizer(model: string): Promise<void> {
  const name = readModelName(model);
  if (name?.kind !== "hub") return;
  const cache = await caches.open(TOKENIZER_CACHE);
  for (const { name: file, url, mayLack } of tokenizerAddresses(name, import.meta.env.VITE_HUB_ENDPOINT || "https://huggingface.co")) {
    const kept = await cache.match(url);
    if (kept && (await fetchedFile(file, kept).catch(() => null))) continue;
    const response = await fetch(url).catch(() => null);
    if (mayLack && response?.status === 404) continue;
    if (!response?.ok)
      throw new Error(`its tokenizer could not be brought: ${url} ${response ? `answered ${response.status}` : "cannot be reached"}`);
    await cache.put(url, new Response(await fetchedFile(file, response)));
  }
}

function ServerModel({ name, maxContext, isChosen }: ServedServer["models"][number] & { readonly isChosen: boolean }) {
  const checkpoint = checkpointOnServer(name);
  const isOwn = OWN_MODELS.includes(checkpoint);
  const words = [
    maxContext === null ? null : `${maxContext.toLocaleString("en")} tokens of context`,
    isOwn ? "one of the lab's own" : null,
  ];
  const said = words.filter((word) => word !== null).join(", ");
  const { problem, isWaiting, ask } = useQuestion(async () => {
    await bringTokenizer(name);
    edit("checkpoint", checkpoint);
    return name;
  });
  return (
    <li className="server-model gap-y-half gap-x-2 py-1 flex flex-wrap items-center justify-between rule-above">
      <div>
        <strong>{name}</strong>
        {said && <p className="fine-print">{said}</p>}
        <div role="status">
          {isWaiting && <p className="fine-print">Bringing its tokenizer …</p>}
          {problem && <p className="save-problem">{problem}</p>}
        </div>
      </div>
      {isChosen ? (
        <span className="fine-print">Chosen</span>
      ) : (
        <Button label={`Train ${name}`} isResting={isWaiting} onPress={() => ask()}>
          Train it
        </Button>
      )}
    </li>
  );
}

function HowToGetOne() {
  return (
    <>
      <p>
        The server of this page does not pass requests on. Start the lab with the address of a server that speaks the Tinker API, such as
        Thinking Machines' Tinker, SkyRL or OpenRL:
      </p>
      <pre className="server-command wrap-anywhere keeps-lines">npm start -- --tinker URL</pre>
      <p className="fine-print">
        If it needs a key, the lab's server reads it from TINKER_API_KEY; the page never sees it. The Tinker server then computes samples,
        scores and updates. Tasks, rewards and the objective are computed here.
      </p>
    </>
  );
}

function Models({ name, models }: ServedServer) {
  const checkpoint = useDraft(({ draft }) => draft.edits.checkpoint) ?? "base";
  return (
    <>
      <p>
        The models of <strong>{name}</strong>:
      </p>
      <ul>
        {models.map((model) => (
          <ServerModel key={model.name} {...model} isChosen={checkpointOnServer(model.name) === checkpoint} />
        ))}
      </ul>
      {models.length === 0 && <p>It has none.</p>}
    </>
  );
}

function WhatIsFound({ found }: { readonly found: Found }) {
  if (found === "asking") return <p role="status">Looking for a server …</p>;
  if (found === "none") return <HowToGetOne />;
  if (found.problem === null) return <Models {...found} />;
  return <Problem text={`Not now: ${found.problem}.`} />;
}

export function ServerNote() {
  const [found, setFound] = useState<Found>("asking");
  const look = useCallback(() => {
    setFound("asking");
    void askForServer().then(setFound);
  }, []);
  useEffect(look, [look]);
  const isThere = found !== "asking" && found !== "none" && found.problem === null;
  return (
    <section className="mt-half stack aside" aria-label="The server">
      <WhatIsFound found={found} />
      {!isThere && (
        <Button isResting={found === "asking"} onPress={look}>
          Look again
        </Button>
      )}
    </section>
  );
}
