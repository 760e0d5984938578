// Ties what is selected of a run to the address of a screen that shows a place of it.
import { useEffect, useState } from "react";
import { parseRoute, replaceQuery, type Screen, useHash } from "../../engine/route.ts";
import type { Selection } from "../../engine/store/selection.ts";
import { linkQuery, settingsIn } from "../../engine/store/selectionAddress.ts";
import { useRun, useRunView, useSelection } from "../../engine/store/useRunView.ts";

/** How a screen writes what is selected into its address; the same object at every call. */
export interface SelectionAddress {
  readonly read: (query: URLSearchParams) => Partial<Selection>;
  readonly write: (selection: Selection) => URLSearchParams;
}

/** Address to selection and back; a link opened by hand wins over what was selected before. */
export function useSelectionAddress(screen: Screen, address: SelectionAddress): void {
  const hash = useHash();
  const { selection: store } = useRunView();
  const selection = useSelection((all) => all);
  const [read, setRead] = useState<string | null>(null);
  const { query } = parseRoute(hash);
  const hasRun = useRun((run) => run.runId !== null);
  // The settings of a run that is not here stay in the address, so that a reload finds them.
  const shown = linkQuery(hasRun ? new URLSearchParams() : settingsIn(query), address.write(selection)).toString();
  useEffect(() => {
    if (parseRoute(hash).screen !== screen || read === hash) return;
    setRead(hash);
    const given = parseRoute(hash).query;
    // Coming from another screen without a query keeps the selection made there.
    if (given.size > 0 || read !== null) store.setState(address.read(given));
  }, [store, hash, read, screen, address]);
  useEffect(() => {
    if (read !== hash || shown === query.toString() || parseRoute(hash).screen !== screen) return;
    replaceQuery(screen, new URLSearchParams(shown));
    setRead(window.location.hash);
  }, [hash, read, shown, query, screen]);
}
