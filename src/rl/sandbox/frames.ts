// What calls the functions of a custom module, where these are more than one: text that runs in the
// interpreter, loaded before the module, so that what it uses is the language's own.

/** Which text calls a module's functions. */
export type FrameName = "environment";

/**
 * An environment: draw, start, tools and step. An input says which (`does`). Calls come checked or refused already; what a
 * tool returns or throws is what the policy reads.
 */
const ENVIRONMENT = `(() => {
  const { stringify } = JSON;
  const { isArray } = Array;
  const { min } = Math;
  const say = String;
  const TypeFault = TypeError;
  const textOf = (value) => (typeof value === "string" ? value : stringify(value === undefined ? null : value));
  const thrown = (error) => {
    try {
      return typeof error === "object" && error !== null ? say(error.message) : say(error);
    } catch {
      return "it failed";
    }
  };
  const needed = (module, name) => {
    if (typeof module[name] !== "function") throw new TypeFault("must export a function " + name);
    return module[name];
  };
  const toolsOf = ({ tools }) => {
    if (tools === undefined) return [];
    if (!isArray(tools)) throw new TypeFault("tools must be a list");
    return tools;
  };
  const described = (module) => {
    const list = toolsOf(module);
    const tools = [];
    for (let i = 0; i < min(list.length, 17); i++) {
      const { name, description, parameters, run } = list[i] ?? {};
      tools[i] = { name, description, parameters, isRunnable: typeof run === "function" };
    }
    const has = (name) => typeof module[name] === "function";
    return { tools, draws: has("draw"), starts: has("start"), steps: has("step") };
  };
  const called = (module, { name, arguments: given }, state, second) => {
    const list = toolsOf(module);
    for (let i = 0; i < list.length; i++)
      if (list[i].name === name)
        try {
          return { result: textOf(list[i].run(given, state, second)), failed: false };
        } catch (error) {
          return { result: thrown(error), failed: true };
        }
    return { result: "no tool " + name, failed: true };
  };
  const stepped = (module, { problem, state, text, calls, turn }, second) => {
    const answered = [];
    for (let i = 0; i < calls.length; i++) {
      const { name, arguments: given, refused } = calls[i];
      const answer = refused === undefined ? called(module, calls[i], state, second) : { result: refused, failed: true };
      answered[i] = { name, arguments: given, result: answer.result, failed: answer.failed };
    }
    if (typeof module.step !== "function") return { calls: answered, state };
    const said = module.step({ problem, state, text, calls: answered, turn }, second);
    if (said === undefined || said === null) return { calls: answered, state };
    if (typeof said !== "object") throw new TypeFault("step must return an object or nothing, got a " + typeof said);
    const { say: next, reward, done, success, state: after } = said;
    return { calls: answered, say: next, reward, done, success, state: after === undefined ? state : after };
  };
  const does = {
    describe: (module) => described(module),
    draw: (module, _, second) => needed(module, "draw")(second),
    start: (module, { problem }, second) => {
      const said = needed(module, "start")(problem, second);
      if (said !== undefined && said !== null && typeof said !== "object")
        throw new TypeFault("start must return an object or nothing, got a " + typeof said);
      const { say: opening, state } = said ?? {};
      return { say: opening, state };
    },
    step: stepped,
  };
  return (module) => (input, second) => stringify(does[input.does](module, input, second));
})()`;

export const FRAMES: Readonly<Record<FrameName, string>> = { environment: ENVIRONMENT };
