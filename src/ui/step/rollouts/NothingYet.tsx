// The Rollouts or the Explain screen while there is nothing to look into: why that is, and the one thing that helps.
import { takeOne } from "../../engine/actions.ts";
import { useDraftQuery } from "../../engine/address/addressSync.ts";
import { useHash } from "../../engine/address/hash.ts";
import { hashOf, parseRoute, settingsIn } from "../../engine/route.ts";
import { selectionText } from "../../engine/store/selection.ts";
import { useEngine, useRun, useSelection } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { StepNotHere } from "../again/StepNotHere.tsx";
import { Preparing } from "../group/NoGroup.tsx";
import { LinkedRun, OfferedRuns } from "./LinkedRun.tsx";
import "./rollouts.css";
import type { RunFacts } from "../../engine/store/runFacts.ts";

/** What a screen is for, where no run has begun. */
const ROLLOUTS =
  "A rollout is one conversation that the policy had with a problem. Each step of a run samples several for every prompt. Here you read them token by token, and see which tokens the update pushed up or down, and why.";

const TEXTS: Readonly<Record<Exclude<Emptiness, "no run">, string>> = {
  waiting: "The first rollouts are on their way.",
  supervised:
    "Supervised training copies worked examples and samples nothing, so it has no rollouts. The Train screen shows its examples, token by token.",
  failed: "The run failed before its first rollouts. The message above says what went wrong.",
  "not kept": "The saved run holds no rollouts. Take one more step to see new ones.",
  "not sampled": "The run has no rollouts yet. Take one step to see them.",
};

export function NothingYet({ title = "Rollouts", purpose = ROLLOUTS }: { readonly title?: string; readonly purpose?: string }) {
  const why = useRun(emptinessOf);
  const next = useRun((facts) => facts.step + 1);
  const query = useDraftQuery();
  const selection = useSelection((all) => all);
  const place = selectionText(selection);
  const hasSettings = settingsIn(parseRoute(useHash()).query).size > 0;
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  if (why === "no run" && place !== null) return <LinkedRun place={place} hasSettings={hasSettings} />;
  // A place that is named is what the screen is for, whatever else can be done.
  if (selection.step !== null && (why === "not kept" || why === "not sampled")) return <StepNotHere step={selection.step} />;
  return (
    <section className="instead">
      <h1>{title}</h1>
      <p>{why === "no run" ? purpose : TEXTS[why]}</p>
      {why === "waiting" && <Preparing />}
      {(why === "not kept" || why === "not sampled") && (
        <Button kind="primary" className="button-large" isDisabled={!isUp} onPress={() => takeOne("step")}>
          Take step {next}
        </Button>
      )}
      {(why === "no run" || why === "supervised" || why === "failed") && (
        <a className="button button-primary button-large" href={hashOf("train", query)}>
          {why === "no run" ? "Go to Train and start a run" : why === "failed" ? "Go to Train" : "See the examples"}
        </a>
      )}
      {why === "no run" && <OfferedRuns />}
      {why === "no run" && <a href={hashOf("open")}>Open rollouts of another program</a>}
      {(why === "supervised" || why === "not kept") && <a href={hashOf("time")}>See the same prompts over time</a>}
    </section>
  );
}

export type Emptiness = "no run" | "waiting" | "supervised" | "failed" | "not kept" | "not sampled";

/** Why a run without groups on the page has none. */
export function emptinessOf({
  runId,
  state,
  config,
  continued,
  step,
}: Pick<RunFacts, "runId" | "state" | "config" | "continued" | "step">): Emptiness {
  if (state === "preparing") return "waiting";
  if (runId === null) return state === "failed" ? "failed" : "no run";
  if (config?.kind === "supervised") return "supervised";
  if (state === "running") return "waiting";
  if (state === "failed") return "failed";
  return continued || step > 0 ? "not kept" : "not sampled";
}

/** What of a step is beside a save is looked at alone: the engine has to have kept the step for more. */
export function RecordNote() {
  return (
    <p className="note">
      This page has only the record of this step, from the run's folder. Explanations, other tokens and other rewards need a step that the
      engine itself still holds.
    </p>
  );
}
