// Drives WebKitGTK by WebDriver, on a screen that nobody sees.
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { asyncScript, CALL_MS, createPrograms, type Driver, eventually, toldBy } from "./driver.ts";

/** What Safari has and Debian's build keeps off unless it is asked: memory that threads share; and relaxed SIMD, which newer ones have. */
const LIKE_SAFARI = { JSC_useSharedArrayBuffer: "1", JSC_useWasmRelaxedSIMD: "1" };

export interface WebKitPrograms {
  readonly driver: string;
  readonly screen: string;
  readonly browser: string;
}

/** The number of a screen that was free. */
async function startScreen(program: string, start: ReturnType<typeof createPrograms>["start"]): Promise<string> {
  const { stdout } = start(program, ["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]);
  for await (const line of createInterface({ input: stdout! })) return `:${line.trim()}`;
  throw new Error("the screen did not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port is free"))));
    });
  });
}

/** Calls of the driver program. */
function calls(base: string) {
  return async (method: "GET" | "POST" | "DELETE", path: string, body: object = {}): Promise<unknown> => {
    const sent = method === "POST" ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
    const response = await fetch(`${base}${path}`, { method, ...sent, signal: AbortSignal.timeout(CALL_MS) });
    const { value } = (await response.json()) as { readonly value: unknown };
    if (!response.ok) throw new Error(`WebKit's ${method} ${path}: ${JSON.stringify(value).slice(0, 500)}`);
    return value;
  };
}

/** @param isLikeSafari as Safari is, or as Debian ships it */
export async function startWebKit({ driver, screen, browser }: WebKitPrograms, isLikeSafari: boolean): Promise<Driver> {
  const programs = createPrograms();
  try {
    const port = await freePort();
    const home = programs.folder;
    programs.start(driver, [`--port=${port}`, "--host=127.0.0.1"], {
      ...{ DISPLAY: await startScreen(screen, programs.start), GDK_BACKEND: "x11", HOME: home },
      ...{ XDG_DATA_HOME: `${home}/data`, XDG_CACHE_HOME: `${home}/cache`, XDG_CONFIG_HOME: `${home}/config` },
      // There is no GPU, and its own sandbox does not start as root.
      ...{ WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", WEBKIT_DISABLE_DMABUF_RENDERER: "1", LIBGL_ALWAYS_SOFTWARE: "1" },
      ...{ NO_AT_BRIDGE: "1", GTK_A11Y: "none", ...(isLikeSafari ? LIKE_SAFARI : {}) },
    });
    const call = calls(`http://127.0.0.1:${port}`);
    await eventually("WebKit's driver", () => call("GET", "/status").catch(() => null));
    const args = ["--automation"];
    const timeouts = { script: CALL_MS, pageLoad: CALL_MS };
    const session = (await call("POST", "/session", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: browser, args }, timeouts } },
    })) as { readonly sessionId: string; readonly capabilities: { readonly browserVersion: string } };
    const at = `/session/${session.sessionId}`;
    return {
      version: `WebKitGTK ${session.capabilities.browserVersion}`,
      goto: async (url) => void (await call("POST", `${at}/url`, { url })),
      reload: async () => void (await call("POST", `${at}/refresh`)),
      evaluate: async (body) => toldBy(await call("POST", `${at}/execute/async`, { script: asyncScript(body), args: [] })),
      click: async (body) => {
        const found = await call("POST", `${at}/execute/sync`, { script: body, args: [] });
        if (!found) throw new Error(`nothing to click: ${body}`);
        await call("POST", `${at}/element/${Object.values(found)[0]}/click`);
      },
      resize: async (width, height) => void (await call("POST", `${at}/window/rect`, { x: 0, y: 0, width, height })),
      screenshot: async () => Buffer.from(String(await call("GET", `${at}/screenshot`)), "base64"),
      close: async () => {
        await call("DELETE", at).catch(() => {});
        await programs.end();
      },
    };
  } catch (error) {
    await programs.end();
    throw error;
  }
}
