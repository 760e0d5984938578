// The store of saved runs as an engine has it: on another thread, here at the other end of two ports.
import type { RunStore } from "../../src/train/host.ts";
import { type StorePort, serveStore } from "../../workers/saves/serveStore.ts";
import { storeElsewhere } from "../../workers/saves/storeElsewhere.ts";

export function storeBehindPorts(store: RunStore): RunStore {
  return storeElsewhere(() => {
    const { port1, port2 } = new MessageChannel();
    serveStore(store, port2 as StorePort);
    return port1 as StorePort;
  });
}
