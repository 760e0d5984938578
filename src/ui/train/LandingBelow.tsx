// The landing page below what is seen at first: what will appear, and the templates. Loads after the rest.
import { LandingTemplates } from "../make/customize/templates/LandingTemplates.tsx";

export function LandingBelow({ hasFailed, isOnServer }: { readonly hasFailed: boolean; readonly isOnServer: boolean }) {
  return (
    <>
      <div className="welcome-appears">
        <h3>What you will see</h3>
        <dl>
          <div>
            <dt>Phases</dt>
            <dd className="soft">what a step does, with one group of answers going through them</dd>
          </div>
          <div>
            <dt>Charts</dt>
            <dd className="soft">
              reward, accuracy on held-out problems, KL{isOnServer ? " and length" : ", entropy and what the optimizer does"}, step by step
            </dd>
          </div>
          <div>
            <dt>Group</dt>
            <dd className="soft">the prompt of the moment, every answer to it, its reward and its advantage; each opens token by token</dd>
          </div>
        </dl>
      </div>
      {!hasFailed && (
        <div className="welcome-templates">
          <LandingTemplates />
        </div>
      )}
    </>
  );
}
