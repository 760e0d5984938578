// The pages that browser tests are given. A new context, with its tab and its processes, takes longer to open and to close than
// most tests take, so each worker keeps one and empties it: nothing that a test did or stored is there for the next one.
import { type Browser, type BrowserContext, test as base, type CDPSession, type Disposable, expect, type Page } from "@playwright/test";

/** The message of an error that a test throws on purpose. */
export const STAGED_ERROR = "the sky fell";

/** A file of the page's origin on which nothing runs: a tab that shows it stays in its process and holds no storage open. */
const NOTHING = "./favicon.svg";

/** What a test may listen to. */
const HEARD = ["console", "dialog", "download", "popup", "request", "requestfailed", "response", "worker"] as const;

/** What a page, its context or its clock does for good; a session may do anything. */
const LASTING = ["exposeFunction", "exposeBinding", "setExtraHTTPHeaders", "newCDPSession", "install"] as const;

interface KeptPage {
  readonly page: Page;
  readonly session: CDPSession;
  /** Whoever asks for other options gets another page. */
  readonly options: string;
  /** What a test lets run before the page, until it is taken back. */
  readonly scripts: Promise<Disposable>[];
  /** Whether something was done to it, or stored, that cannot be taken back. */
  isSpent: boolean;
  /** The file whose tests go on in it, each where the one before it ended. */
  file: string | null;
}

let kept: KeptPage | null = null;

/** What a page is asked for with, as far as the tests' files differ in it. */
interface Asked {
  readonly browser: Browser;
  readonly baseURL: string | undefined;
  readonly viewport: { readonly width: number; readonly height: number } | null;
  readonly options: string;
}

/** Calls `onCall` whenever something lasting is done. */
function watch(target: Page | BrowserContext | Page["clock"], onCall: () => void): void {
  for (const name of LASTING) {
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== "function") continue;
    Reflect.set(target, name, (...given: unknown[]) => {
      onCall();
      return Reflect.apply(original, target, given);
    });
  }
}

/** Notes each script that is to run before the page. */
function note(target: Page | BrowserContext, scripts: Promise<Disposable>[]): void {
  const original = target.addInitScript.bind(target);
  target.addInitScript = (...given) => {
    const script = original(...given);
    scripts.push(script);
    return script;
  };
}

async function open({ browser, baseURL, options }: Asked): Promise<KeptPage> {
  const context = await browser.newContext();
  const page = await context.newPage();
  // The tests have seen the tour and the slow first steps, and have asked for the settings; without storage nothing is remembered.
  await page.addInitScript(() => {
    try {
      if (localStorage.getItem("rollout-lab-form") === null) localStorage.setItem("rollout-lab-form", "shown");
      localStorage.setItem("rollout-lab-slow-start", "seen");
      localStorage.setItem("rollout-lab-tour", "seen");
    } catch {}
  });
  const opened = { page, session: await context.newCDPSession(page), options, scripts: [], isSpent: false, file: null };
  const spend = () => {
    opened.isSpent = true;
  };
  for (const target of [page, context, page.clock]) watch(target, spend);
  for (const target of [page, context]) note(target, opened.scripts);
  // What other hosts have stored is not known.
  page.on("framenavigated", (frame) => {
    const url = frame.url();
    if (url.startsWith("http") && !(baseURL !== undefined && url.startsWith(baseURL))) spend();
  });
  return opened;
}

/** Takes back what can be taken back, and leaves the tab on nothing, with nothing stored. */
async function empty({ page, session, scripts }: KeptPage): Promise<void> {
  const context = page.context();
  for (const script of scripts.splice(0)) await (await script).dispose();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const each of [page, context]) await each.unrouteAll({ behavior: "ignoreErrors" });
  for (const event of HEARD) page.removeAllListeners(event);
  await Promise.all([context.clearPermissions(), context.clearCookies(), context.setOffline(false)]);
  await page.goto(NOTHING);
  await page.evaluate(() => sessionStorage.clear());
  await session.send("Storage.clearDataForOrigin", { origin: new URL(page.url()).origin, storageTypes: "all" });
}

/** Sizes, colours and pointer as they are at first. */
async function asAtFirst(page: Page, { viewport }: Asked): Promise<void> {
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null });
  if (viewport) await page.setViewportSize(viewport);
  await page.mouse.move(0, 0);
}

/** A page takes a moment to be emptied; one that hangs in it would take its next test along. */
const EMPTYING_MS = 10_000;

/** Whether the page could be emptied in time. */
async function isEmptied(page: KeptPage): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, EMPTYING_MS, false);
  });
  const done = empty(page).then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

/** An empty page: the kept one where that will do. @param isNew wants one in which nothing was ever loaded */
async function emptyPage(asked: Asked, isNew: boolean): Promise<KeptPage> {
  const canServe = kept && !isNew && !kept.isSpent && !kept.page.isClosed() && kept.options === asked.options;
  if (kept && canServe && (await isEmptied(kept))) {
    await asAtFirst(kept.page, asked);
    kept.file = null;
    return kept;
  }
  const closed = kept?.page.context().close();
  // Nobody waits for one that could not be emptied.
  if (canServe) closed?.catch(() => {});
  else await closed;
  kept = await open(asked);
  kept.isSpent = isNew;
  return kept;
}

export const speed = (page: Page) => page.getByRole("slider", { name: "Speed" });

/** Lets runs take their steps as fast as they can. */
export async function atFullSpeed(page: Page): Promise<void> {
  await speed(page).press("End");
}

/** What a file's tests ask for. */
const optionsOf = (project: string, baseURL: string | undefined, serviceWorkers: string) =>
  JSON.stringify([project, baseURL, serviceWorkers]);

/** A test in a page of its own, in which nothing was ever loaded. Any uncaught error on it fails the test that met it. */
export const test = base.extend<{ readonly noUncaughtErrors: undefined }>({
  page: async ({ browser, viewport, baseURL, serviceWorkers }, use, { project }) => {
    const asked = { browser, viewport, baseURL, options: optionsOf(project.name, baseURL, serviceWorkers) };
    await use((await emptyPage(asked, true)).page);
  },
  context: ({ page }, use) => use(page.context()),
  noUncaughtErrors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      const note = ({ message }: Error) => message !== STAGED_ERROR && errors.push(message);
      page.on("pageerror", note);
      await use(undefined);
      page.off("pageerror", note);
      expect(errors, "uncaught errors on the page").toEqual([]);
    },
    { auto: true },
  ],
});

/** A test in the page that its worker keeps, emptied: nothing is stored, and the page is loaded from nothing but the browser's cache. */
export const testInEmptyPage = test.extend({
  page: async ({ browser, viewport, baseURL, serviceWorkers }, use, { project }) => {
    const asked = { browser, viewport, baseURL, options: optionsOf(project.name, baseURL, serviceWorkers) };
    await use((await emptyPage(asked, false)).page);
  },
});

/**
 * A test that goes on in the page where the one before it in its file ended, once the run there is forgotten and the window, its
 * colours and the speed are as they were: to load the page takes longer than many of them. A test that fails takes its worker along,
 * so the one after it, and its own second try, begin in a fresh page.
 */
export const testInSamePage = test.extend({
  page: async ({ browser, viewport, baseURL, serviceWorkers }, use, { file, project }) => {
    const asked = { browser, viewport, baseURL, options: optionsOf(project.name, baseURL, serviceWorkers) };
    if (kept?.file === file) {
      await asAtFirst(kept.page, asked);
      await kept.page.evaluate(() => window.rolloutLab.reset());
      await kept.page.goto("./#/train");
      await atFullSpeed(kept.page);
      // Where nobody has been yet: keys go to the page, which is at its top.
      await kept.page.evaluate(() => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        window.scrollTo(0, 0);
      });
    } else (await emptyPage(asked, false)).file = file;
    await use(kept!.page);
  },
});
