// Beside the form of a run of one's own: what its first step's answers earn and how long it would take, or the button that finds out.
import { useMemo } from "react";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { edit } from "../../engine/draftActions.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import { useTriedFirst } from "../customize/customizeStore.ts";
import { TriedStepView, TryProgress } from "./TriedStepView.tsx";
import { decisive, isOwn, stopTrying, tryOnce } from "./tried.ts";

function takeSettings(settings: Partial<RunConfig>): void {
  for (const [key, value] of Object.entries(settings)) edit(key as RunConfigKey, value);
}

export function BeforeStart({ config }: { readonly config: RunConfig }) {
  const catalog = useCatalog();
  const { of, going, tried, problem } = useTriedFirst();
  const isShown = useMemo(() => isOwn(catalog, config), [catalog, config]);
  if (!isShown) return null;
  const isThis = of === decisive(catalog, config);
  const look = () => void tryOnce(config).catch(() => {});
  return (
    <section className="before-start stack padded" aria-label="Before the start">
      {going ? (
        <>
          <TryProgress going={going} />
          <div>
            <Button onPress={stopTrying}>Stop</Button>
          </div>
        </>
      ) : (
        <>
          {isThis && tried && <TriedStepView config={config} tried={tried} onRemedy={takeSettings} />}
          <Problem text={isThis ? problem : null} isOfField />
          <div className="line">
            <Button onPress={look}>{isThis && tried ? "Sample again" : "Sample once"}</Button>
            {!(isThis && tried) && (
              <span className="aside">What would the first answers earn, and how long would the run take? Train checks this too.</span>
            )}
          </div>
        </>
      )}
    </section>
  );
}
