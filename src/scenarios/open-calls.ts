import { setImmediate as turn } from "node:timers/promises";

/** How many turns of the event loop it takes for a pending rejection to arrive. */
const TURNS = 5;

/** The asynchronous calls of a scenario that have not settled yet. */
export interface OpenCalls {
  /**
   * Wraps an object's functions. Each promise that they return counts as open until it settles.
   * @param called called before each function call
   */
  watch<Watched extends object>(object: Watched, name: string, called?: () => void): Watched;
  /**
   * Resolves once no call is open and all reactions to the last one have run.
   * @param waitsFor called with the open calls, if there are any
   */
  ended(waitsFor: (calls: string[]) => void): Promise<void>;
}

export function openCalls(): OpenCalls {
  const names = new Set<{ name: string }>();
  let noneLeft: () => void = () => {};

  /** Return this promise instead of the call's own: listening to the original would count as handling its rejection. */
  async function follow<Value>(promise: Promise<Value>, name: string): Promise<Value> {
    const call = { name };
    names.add(call);
    try {
      return await promise;
    } finally {
      names.delete(call);
      if (names.size === 0) noneLeft();
    }
  }

  function watched(value: unknown, name: string): unknown {
    if (value instanceof Promise) return follow(value, name);
    return isGroup(value) ? watch(value, name) : value;
  }

  const watch: OpenCalls["watch"] = (object, name, called) =>
    new Proxy(object, {
      get(target, key) {
        const value = Reflect.get(target, key);
        const path = `${name}.${String(key)}`;
        if (typeof value !== "function") return isGroup(value) ? watch(value, path, called) : value;
        return (...values: unknown[]) => {
          called?.();
          return watched(Reflect.apply(value, target, values), `${path}(…)`);
        };
      },
    });

  return {
    watch,
    async ended(waitsFor) {
      for (let turns = TURNS; turns > 0; turns -= 1) {
        if (names.size > 0) {
          waitsFor([...names].map(({ name }) => name));
          await new Promise<void>((resolve) => {
            noneLeft = resolve;
          });
          turns = TURNS;
        }
        await turn();
      }
    },
  };
}

/** Whether a value is an object that groups functions, such as `sandbox.clock` or an expectation's matchers. */
const isGroup = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).some((member) => typeof member === "function");
