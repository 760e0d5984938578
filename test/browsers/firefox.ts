// Drives Firefox by Marionette, its own protocol of lengths and JSON on a socket: no program stands between.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { asyncScript, CALL_MS, createPrograms, type Driver, eventually, toldBy, withLimit } from "./driver.ts";

const PREFERENCES = {
  // Whichever is free; it is written into the profile.
  "marionette.port": 0,
  "browser.shell.checkDefaultBrowser": false,
  "browser.aboutwelcome.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false,
  "app.update.enabled": false,
  // As Safari before 26: no file can be written as a stream.
  "dom.fs.writable_file_stream.enabled": false,
  "app.normandy.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

interface Reply {
  readonly value?: unknown;
  readonly capabilities?: { readonly browserVersion: string };
}
type Waiting = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };

/** Sends commands; each resolves to its reply. */
function commands(socket: Socket) {
  let held = Buffer.alloc(0);
  let last = 0;
  const waiting = new Map<number, Waiting>();
  const take = (message: unknown) => {
    // The first message greets.
    if (!Array.isArray(message)) return;
    const [, id, error, reply] = message as [number, number, { readonly message: string } | null, Reply];
    const one = waiting.get(id);
    waiting.delete(id);
    if (error) one?.reject(new Error(error.message));
    else one?.resolve(reply);
  };
  socket.on("data", (data) => {
    held = Buffer.concat([held, data]);
    for (;;) {
      const colon = held.indexOf(":");
      const end = colon + 1 + Number(held.toString("latin1", 0, Math.max(colon, 0)));
      if (colon < 0 || held.length < end) return;
      take(JSON.parse(held.toString("utf8", colon + 1, end)));
      held = held.subarray(end);
    }
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox has ended"));
  });
  return (name: string, parameters: object = {}) => {
    const id = ++last;
    const text = JSON.stringify([0, id, name, parameters]);
    const reply = new Promise<Reply>((resolve, reject) => waiting.set(id, { resolve, reject }));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return withLimit(`Firefox's ${name}`, reply);
  };
}

const connected = (port: number) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", () => resolve(null));
  });

/** Starts Firefox without a window. */
export async function startFirefox(program: string): Promise<Driver> {
  const programs = createPrograms();
  try {
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
    writeFileSync(join(programs.folder, "user.js"), lines.join("\n"));
    programs.start(program, ["--marionette", "--headless", "--no-remote", "-profile", programs.folder], { MOZ_CRASHREPORTER_DISABLE: "1" });
    const file = join(programs.folder, "MarionetteActivePort");
    const socket = await eventually("Firefox's port", () => (existsSync(file) ? connected(Number(readFileSync(file, "utf8"))) : null));
    const command = commands(socket);
    const { capabilities } = await command("WebDriver:NewSession");
    await command("WebDriver:SetTimeouts", { script: CALL_MS, pageLoad: CALL_MS });
    return {
      version: `Firefox ${capabilities?.browserVersion}`,
      goto: async (url) => void (await command("WebDriver:Navigate", { url })),
      reload: async () => void (await command("WebDriver:Refresh")),
      evaluate: async (body) => toldBy((await command("WebDriver:ExecuteAsyncScript", { script: asyncScript(body), args: [] })).value),
      click: async (body) => {
        const { value } = await command("WebDriver:ExecuteScript", { script: body, args: [] });
        if (!value) throw new Error(`nothing to click: ${body}`);
        await command("WebDriver:ElementClick", { id: Object.values(value)[0] });
      },
      resize: async (width, height) => void (await command("WebDriver:SetWindowRect", { width, height })),
      screenshot: async () => Buffer.from(String((await command("WebDriver:TakeScreenshot", { full: false })).value), "base64"),
      close: async () => {
        await command("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
        await programs.end();
      },
    };
  } catch (error) {
    await programs.end();
    throw error;
  }
}
