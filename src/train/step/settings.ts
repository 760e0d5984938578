// The configuration as it changes along a run. Whatever is changed while a run goes on is written down
// with the step it came after, so that the configuration at the end reproduces the whole run.

import { fixedKeys, type LiveSettings } from "../../protocol/config/configFacts.ts";
import { type RunConfig, runConfigSchema } from "../../protocol/config.ts";
import { InputError, parseOrThrow } from "../../protocol/problems.ts";

/** Settings on their own: a long run has thousands of changes, and each with all of its configuration would take seconds. */
const settingsSchema = runConfigSchema.partial();

/** A change, and the configuration from its step on. */
interface InForce {
  readonly settings: RunConfig["changes"][number]["settings"];
  readonly config: RunConfig;
}

/**
 * The configuration with the changes it carries in full. Throws InputError naming the field.
 * @param check refuses what a change comes to with all that was changed before it.
 */
export function checkChanges(config: RunConfig, check: (inForce: InForce) => unknown = () => {}): RunConfig {
  const changes = config.changes.map(({ afterStep, settings }, index) => {
    const fixed = [...fixedKeys].find((key) => key in settings);
    const field = `changes.${index}.settings`;
    if (fixed) throw new InputError([{ field, message: `${field} must not change ${fixed}: it is fixed when a run starts` }]);
    const whole: Readonly<Record<string, unknown>> = parseOrThrow(settingsSchema, settings);
    // The schema fills in what is not said.
    const said = Object.fromEntries(Object.keys(settings).map((key) => [key, whole[key]])) as typeof settings;
    return { afterStep, settings: said };
  });
  let inForce: RunConfig = { ...config, changes: [] };
  for (const { settings } of changes.toSorted((a, b) => a.afterStep - b.afterStep)) {
    inForce = { ...inForce, ...settings };
    check({ settings, config: inForce });
  }
  return { ...config, changes };
}

const NO_SETTINGS: LiveSettings = {};

/** What the changes that come after so many finished steps set; a later one of the same step wins. */
export function dueSettings({ changes }: RunConfig, stepsDone: number): LiveSettings {
  if (changes.length === 0) return NO_SETTINGS;
  const due: LiveSettings = {};
  for (const { afterStep, settings } of changes) if (afterStep === stepsDone) Object.assign(due, settings);
  return due;
}

/** The settings in force; owned state. */
export class Settings {
  #config: RunConfig;

  constructor(config: RunConfig) {
    this.#config = config;
  }

  /** As in force now, with every change so far. */
  get config(): RunConfig {
    return this.#config;
  }

  /** Forgets what came after a configuration that was in force. */
  restore(config: RunConfig): void {
    this.#config = config;
  }

  /** Takes up the changes that come after so many finished steps; returns those settings. */
  applyChanges(stepsDone: number): LiveSettings {
    const settings = dueSettings(this.#config, stepsDone);
    // Most steps change nothing, and a copy of the whole configuration at each of them would cost more than a small step.
    if (Object.keys(settings).length > 0) this.#take(settings, stepsDone, []);
    return settings;
  }

  /** The last step as of now, 0 for none: a run that was extended where it ended goes on there when it is repeated. */
  stepLimit(stepsDone: number): number {
    return dueSettings(this.#config, stepsDone).steps ?? this.#config.steps;
  }

  /** Changes settings by hand, in force from the next step on. @param stepsDone steps finished, the one in flight included. */
  set(settings: LiveSettings, stepsDone: number): void {
    this.#take(settings, stepsDone, [{ afterStep: stepsDone, settings: settings as RunConfig["changes"][number]["settings"] }]);
  }

  /** What held from the start is written down before it goes: the configuration itself takes the new value. */
  #take(settings: LiveSettings, stepsDone: number, added: RunConfig["changes"]): void {
    const { changes } = this.#config;
    const keys = Object.keys(settings) as (keyof LiveSettings)[];
    const isWritten = (key: string) => changes.some((change) => change.afterStep < Math.max(1, stepsDone) && key in change.settings);
    const held = keys.filter((key) => !isWritten(key)).map((key) => [key, this.#config[key]]);
    const first = held.length > 0 ? [{ afterStep: 0, settings: Object.fromEntries(held) }] : [];
    this.#config = { ...this.#config, ...settings, changes: [...first, ...changes, ...added] };
  }
}
