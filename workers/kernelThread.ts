// A thread that runs the WASM kernels beside the trainer, on the memory they share.
import { serveKernelThread, type ThreadPort } from "../src/kernels/threadProgram.ts";

serveKernelThread(self as unknown as ThreadPort);
