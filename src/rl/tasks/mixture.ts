// Several tasks as one, for supervised training: one checkpoint learns the forms of a family. Each task
// has a share of the problems and a noise of its own.
import { hash32, loaderOf } from "../data/problems.ts";
import type { DataLoader, Env, Example } from "../types.ts";
import type { TaskInstance } from "./task.ts";

interface MixedTask {
  readonly instance: TaskInstance;
  /** Problems of this task for each problem of a task of share 1. */
  readonly share: number;
  /** Share of wrong worked conversations where the run's own noise is 1. */
  readonly noise: number;
}

/** Ends a conversation at its own task's limit of turns, which is below the mixture's. */
function limited(env: Env, maxTurns: number): Env {
  let turns = 0;
  return {
    ...env,
    step(action) {
      const state = env.step(action);
      turns += 1;
      return turns >= maxTurns ? null : state;
    },
  };
}

/** The mixture; examples carry the place of their task before their id. @param seed of the choice among tasks. */
export function mixTasks(parts: readonly MixedTask[], seed: number): TaskInstance {
  const total = parts.reduce((sum, { share }) => sum + share, 0);
  const marked = (place: number, example: Example): Example => ({ ...example, id: `${place}/${example.id}` });
  /** The part that an example belongs to, and the example as that part knows it. */
  const ownOf = ({ id, ...rest }: Example) => {
    const cut = id.indexOf("/");
    const part = parts[Number(id.slice(0, cut))];
    if (!part) throw new Error(`internal: ${id} is of no task of the mixture`);
    return { ...part, example: { ...rest, id: id.slice(cut + 1) } };
  };

  function placeOf(position: number): number {
    let left = (hash32(`mixture/${seed}/${position}`) / 2 ** 32) * total;
    const place = parts.findIndex(({ share }) => {
      left -= share;
      return left < 0;
    });
    return place < 0 ? parts.length - 1 : place;
  }

  function trainLoader(): DataLoader {
    const loaders = parts.map(({ instance }) => instance.trainLoader());
    return loaderOf((position) => {
      const place = placeOf(position);
      const loader = loaders[place]!;
      // Every loader is moved to the mixture's own place, which so is all there is to save.
      loader.restore(position);
      return marked(place, loader.next(1)[0]!);
    });
  }

  return {
    trainLoader,
    evaluation: (count) =>
      parts.flatMap(({ instance }, place) => instance.evaluation(Math.ceil(count / parts.length)).map((example) => marked(place, example))),
    envs: {
      build(marked, envSeed) {
        const { instance, example } = ownOf(marked);
        return limited(instance.envs.build(example, envSeed), instance.maxTurns ?? 1);
      },
    },
    maxTurns: Math.max(...parts.map(({ instance }) => instance.maxTurns ?? 1)),
    rewards: [],
    isSuccess(marked, trajectory) {
      const { instance, example } = ownOf(marked);
      return instance.isSuccess(example, trajectory);
    },
    hasForm(marked, trajectory) {
      const { instance, example } = ownOf(marked);
      return instance.hasForm(example, trajectory);
    },
    demonstration(marked, random, noise) {
      const { instance, example, noise: own } = ownOf(marked);
      return instance.demonstration(example, random, noise * own);
    },
  };
}
