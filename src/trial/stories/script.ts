import { isDeepStrictEqual } from "node:util";

/** An asynchronous call that a scenario made, and its result once it has ended. */
interface Call {
  name: string;
  input: unknown[];
  ended?: { value: unknown } | { error: unknown };
}

export type ScriptRun = ReturnType<ReturnType<typeof createScript>["begin"]>;

/**
 * Stores the calls of a scenario in the run that was played last. A checkpoint takes the world back to a pause of that run.
 * The scenario is code, so it runs again from its beginning, and each call before that pause returns what it returned then.
 * @param notRepeated called when the scenario makes another call than before, or one whose result cannot be returned again
 */
export function createScript(notRepeated: () => void) {
  const calls: Call[] = [];
  /** How many calls were behind each pause. */
  const behind: number[] = [];
  /** Functions that return at once: they are called again each time. */
  const immediate = new Set<string>();
  let open = 0;
  let follows = false;
  /** The number of the run that is played now: code of an earlier one may still be on its way to its next call. */
  let latest = 0;

  async function record(call: Call, result: Promise<unknown>): Promise<unknown> {
    open += 1;
    try {
      const value = await result;
      call.ended = { value: cloneOf(value) };
      return value;
    } catch (error) {
      call.ended = { error };
      throw error;
    } finally {
      open -= 1;
    }
  }

  function cloneOf(value: unknown): unknown {
    try {
      return structuredClone(value);
    } catch {
      // It has functions, which cannot be returned again.
      notRepeated();
      return undefined;
    }
  }

  async function repeat({ ended }: Call): Promise<unknown> {
    if ("error" in ended!) throw ended.error;
    return structuredClone(ended!.value);
  }

  return {
    /**
     * Whether a later run can go on from this pause: no call is under way.
     * @param pauses the number of the pause; null after the last one
     */
    resumes: (pauses: number | null): boolean =>
      pauses === null ||
      (follows && open === 0 && behind.length === pauses && behind.at(-1) === calls.length),

    /**
     * Begins a run.
     * @param from how many pauses it has behind it
     * @param repeatable whether a later run can go on from its pauses
     */
    begin(from: number, repeatable: boolean) {
      follows = repeatable;
      behind.length = from;
      calls.length = behind.at(-1) ?? 0;
      const known = calls.length;
      let next = 0;
      let passed = 0;
      latest += 1;
      const own = latest;

      function make(name: string, input: unknown[], work: () => unknown): unknown {
        if (own !== latest) return refused(name);
        if (next < known && !immediate.has(name)) {
          const call = calls[next]!;
          next += 1;
          if (call.name === name && isDeepStrictEqual(call.input, input)) return repeat(call);
          latest += 1;
          notRepeated();
          return refused(name);
        }
        const result = work();
        if (!(result instanceof Promise)) {
          immediate.add(name);
          return result;
        }
        const call: Call = { name, input };
        calls.push(call);
        next += 1;
        return record(call, result);
      }

      /** The same object, whose calls are recorded, or repeated. */
      function watch<Watched extends object>(object: Watched, name: string): Watched {
        return new Proxy(object, {
          get(target, key) {
            const value = Reflect.get(target, key);
            const path = `${name}.${String(key)}`;
            if (typeof value !== "function") return watched(value, path);
            return (...input: unknown[]) =>
              watched(
                make(path, input, () => Reflect.apply(value, target, input)),
                `${path}(…)`,
              );
          },
        });
      }
      const watched = (value: unknown, name: string): unknown =>
        hasFunctions(value) ? watch(value, name) : value;

      return {
        watch,
        /** Whether the pause that the scenario asks for is one of those behind the run. */
        passes(): boolean {
          if (passed === from) return false;
          passed += 1;
          return true;
        },
        /** A pause has begun. */
        reach: (): void => void behind.push(calls.length),
      };
    },
  };
}

/** Fails a call of a run that is over. */
function refused(name: string): Promise<never> {
  const refusal = Promise.reject(new Error(`The run of the scenario ended before it called ${name}.`));
  refusal.catch(() => undefined);
  return refusal;
}

/** Whether it is an object of functions, such as `sandbox.clock`. */
const hasFunctions = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Promise) &&
  Object.values(value).some((member) => typeof member === "function");
