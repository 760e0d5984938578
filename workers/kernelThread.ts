// A kernel thread in the browser: started by the trainer worker, runs jobs on its shared memory.
import { serveKernelThread, type ThreadPort } from "../src/kernels/threadProgram.ts";

serveKernelThread(globalThis as unknown as ThreadPort);
