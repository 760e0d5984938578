// The thread that keeps the saved runs of one engine, and ends with it.
import { takeRunLock } from "../runLock.ts";
import { createRunStore } from "./runStore.ts";
import { type StorePort, serveStore } from "./serveStore.ts";

serveStore(createRunStore(takeRunLock), self as unknown as StorePort);
