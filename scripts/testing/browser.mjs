// Finds what only the machine can offer: an installed Chromium-like browser for the browser tests,
// and the software Vulkan driver in its folder, on which WebGPU runs in Node without a graphics card.
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { runProgram } from "../environment.mjs";

const LINUX_NAMES = [
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "microsoft-edge",
  "microsoft-edge-stable",
  "google-chrome-beta",
];
const MAC_APPS = ["Google Chrome", "Chromium", "Microsoft Edge"];
const WINDOWS_PATHS = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Chromium\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
];

/** Switches every test browser starts with: WebGPU on, nothing that talks to the network by itself. */
export const browserFlags = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Parts of the browser around the page that a test never sees. Each window fills two hidden panels of its
 * address bar with pages of their own, in a process of their own, which takes a second of a core.
 */
const UNSEEN_FEATURES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"];

/** A process that a browser keeps warm for the next page, which most tests never open: starting it takes a tenth of a second. */
const WARM_PROCESS = "SpareRendererForSitePerProcess";

/** What Playwright switches off itself: of two such lists a browser reads the last alone. */
const PLAYWRIGHT_FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
];

/** @param {readonly string[]} features */
const without = (features) => `--disable-features=${features.join(",")}`;

/** The switches of a test browser that is started by hand. */
export const plainTestFlags = [...browserFlags, without(UNSEEN_FEATURES)];

/**
 * Where a processor plays the GPU, it takes a second to compile the clearing of each workgroup array, which
 * no kernel relies on. The tests in Node leave it out, too.
 */
const UNCLEARED_ARRAYS = "--enable-dawn-features=disable_workgroup_init";

/** The switches of a test browser that Playwright starts. */
export const playwrightFlags = [...browserFlags, UNCLEARED_ARRAYS, without([...PLAYWRIGHT_FEATURES, ...UNSEEN_FEATURES, WARM_PROCESS])];

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function candidates() {
  if (process.platform === "darwin") {
    const folders = ["/Applications", join(process.env.HOME ?? "", "Applications")];
    return folders.flatMap((folder) => MAC_APPS.map((name) => join(folder, `${name}.app/Contents/MacOS/${name}`)));
  }
  if (process.platform === "win32") {
    const folders = [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA];
    return folders.flatMap((folder) => (folder ? WINDOWS_PATHS.map((path) => join(folder, path)) : []));
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
  return LINUX_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** Path of an installed Chrome, Chromium or Edge, or null. CHROME_PATH goes first and must be right when set. */
export function findBrowser() {
  const given = process.env.CHROME_PATH;
  if (given) {
    if (!isProgram(given)) throw new Error(`CHROME_PATH must name a program, got "${given}"`);
    return given;
  }
  return candidates().find(isProgram) ?? null;
}

/** @param {readonly string[]} names @returns {string | null} the first of these programs that is on the path */
const onPath = (names) =>
  names.flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name))).find(isProgram) ?? null;

/** Path of Firefox, or null. */
export const findFirefox = () => onPath(["firefox-esr", "firefox"]);

/**
 * What drives WebKitGTK, the screen that it is drawn on and the browser itself, which lies beside the library; or null.
 * @returns {{ driver: string, screen: string, browser: string } | null}
 */
export function findWebKit() {
  const [driver, screen] = [onPath(["WebKitWebDriver"]), onPath(["Xvfb"])];
  const libraries =
    process.platform === "linux" ? readdirSync("/usr/lib").map((folder) => `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`) : [];
  const browser = libraries.find(isProgram);
  return driver && screen && browser ? { driver, screen, browser } : null;
}

function isDebianLike() {
  try {
    return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}

/** Like findBrowser, but installs Debian's chromium where none is found and this user may; null where it may not. */
export async function findOrInstallBrowser() {
  const found = findBrowser();
  if (found || !isDebianLike() || process.getuid?.() !== 0) return found;
  console.log("No Chrome, Chromium or Edge found; installing the chromium package.");
  const quiet = { DEBIAN_FRONTEND: "noninteractive" };
  await runProgram("apt-get", ["update", "-q"], quiet);
  await runProgram("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], quiet);
  return findBrowser();
}

/**
 * Environment under which WebGPU in Node finds the browser's software Vulkan driver. Empty on other
 * systems (they bring their own driver), without a browser, and where the user has chosen a driver.
 * @returns {Record<string, string>}
 */
export function softwareGpuVariables() {
  if (process.platform !== "linux" || process.env.VK_ICD_FILENAMES) return {};
  const browser = findBrowser();
  if (!browser) return {};
  const folders = [
    dirname(realpathSync(browser)),
    "/usr/lib/chromium",
    "/usr/lib/chromium-browser",
    "/opt/google/chrome",
    "/opt/microsoft/msedge",
  ];
  const folder = folders.find((candidate) => existsSync(join(candidate, "vk_swiftshader_icd.json")));
  if (!folder) return {};
  const others = process.env.LD_LIBRARY_PATH;
  return {
    VK_ICD_FILENAMES: join(folder, "vk_swiftshader_icd.json"),
    LD_LIBRARY_PATH: others ? `${folder}${delimiter}${others}` : folder,
  };
}
