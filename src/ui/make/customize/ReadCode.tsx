// The dialog that shows code which came with a configuration, before it runs for the first time.

import { Button } from "../../kit/controls/Button.tsx";
import { useDialog } from "../../kit/dialog/dialogStore.ts";
import { Frame } from "../../kit/dialog/Frame.tsx";
import "./customize.css";

export function ReadCode() {
  const { unread, answer } = useDialog((facts) => facts.code);
  return (
    <Frame title="Read this code before it runs" isOpen={unread.length > 0} onClose={() => answer(false)}>
      <p>
        This configuration contains code: rewards, or an environment that answers the model. The code runs in a sandbox. It cannot reach the
        network, storage or this page, and a call that takes too long is stopped. But it decides what the model learns.
      </p>
      {unread.map(({ name, source }) => (
        <section key={name} aria-label={`Code of ${name}`}>
          <p className="fine-print">{name}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that long code can be scrolled by keyboard */}
          <pre className="code-shown small framed keeps-lines" tabIndex={0}>
            {source}
          </pre>
        </section>
      ))}
      <div className="dialog-end">
        <Button onPress={() => answer(false)}>Do not run it</Button>
        <Button kind="primary" onPress={() => answer(true)}>
          Run this code
        </Button>
      </div>
    </Frame>
  );
}
