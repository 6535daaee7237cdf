import { resolve } from "node:path";
import type { Settings } from "../../config/config.ts";
import { invalidState, misuse, SandboxError } from "../../errors/errors.ts";
import type { Expect, Sandbox } from "../../library/index.ts";
import { loadModule } from "../../runtime/load-module.ts";
import { findSandglass } from "../../runtime/own-package.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { createCatalog } from "../../scenarios/catalog.ts";
import type { ScenarioContext } from "../../scenarios/define.ts";
import { settingsFor } from "../../scenarios/settings.ts";
import { checkScenario } from "../../scenarios/shape.ts";
import { scenarioSandbox } from "../../scenarios/surface.ts";
import type { Story, StorySite } from "./stories.ts";

/**
 * Turns a scenario, found by its name or file, into a story whose deliveries are explored. Its expectations hold only
 * for the calm run, because other schedules deliver differently.
 * @throws SandboxError `not_found`, `bad_request`, `invalid_scenario`
 */
export async function ownStory(name: string, settings: Settings, cwd: string): Promise<Story> {
  const catalog = createCatalog({ cwd, folder: resolve(cwd, settings.scenarios) });
  const { scenarios, problems } = await catalog.find([name]);
  const [problem] = problems;
  if (problem) throw new SandboxError("invalid_scenario", problem.message, problem.hint);
  const [scenario] = scenarios;
  if (scenarios.length !== 1 || !scenario)
    throw misuse(
      `${name} has ${scenarios.length} scenarios, but explore runs one.`,
      `Choose one of them: ${scenarios.map((one) => one.name).join(", ")}.`,
    );
  findSandglass();
  const { path, file, title, params } = scenario;
  const { run } = checkScenario(
    file,
    await loadModule({
      path,
      name: file,
      code: "invalid_scenario",
      shape: "Write: export default defineScenario({ … }).",
    }),
  );
  const values = Object.fromEntries(Object.entries(params).map(([key, spec]) => [key, spec.default]));
  return {
    name: scenario.name,
    title,
    file,
    settingsFor: (subscriber) => settingsFor(scenario, settings, subscriber),
    async *play(_sandbox, site) {
      const expect = site.calm ? (await import("expect")).expect : ignoringExpect();
      yield* pausesOf(async (pause) => {
        const context = {
          sandbox: storySandbox(await site.remote(), site, pause),
          async step(_title: string, work: () => unknown) {
            const result = await work();
            await pause();
            return result;
          },
          expect,
          params: values,
          log: () => undefined,
          subscriber: site.subscriber,
        };
        try {
          await run(context as ScenarioContext);
        } catch (error) {
          throw failedStory(error, file, site.calm);
        }
      });
    },
  };
}

/** Runs work that pauses, as a generator that yields at each pause. */
async function* pausesOf(work: (pause: () => Promise<void>) => Promise<void>): AsyncGenerator<void, void> {
  const pauses: (() => void)[] = [];
  let more = Promise.withResolvers<void>();
  let isEnded = false;
  const ended = work(
    () =>
      new Promise<void>((resume) => {
        pauses.push(resume);
        more.resolve();
      }),
  ).finally(() => {
    isEnded = true;
    more.resolve();
  });
  // A failure is thrown only after the pauses before it.
  ended.catch(() => undefined);
  for (;;) {
    if (pauses.length === 0 && !isEnded) {
      more = Promise.withResolvers();
      await more.promise;
    }
    const resume = pauses.shift();
    if (!resume) break;
    yield;
    resume();
  }
  await ended;
}

/** The scenario's sandbox. Its inboxes are the subscriber, and it has no other worlds. */
function storySandbox(remote: Sandbox, { subscriber }: StorySite, pause: () => Promise<void>): Sandbox {
  const refuse = (call: string, why: string) => async (): Promise<never> => {
    throw invalidState(
      `The scenario calls ${call}, which cannot be explored: ${why}.`,
      "For explore, write a scenario that does not use it.",
    );
  };
  const otherWorld = "explore resets one world to its start for each schedule";
  const surface = scenarioSandbox(remote, {
    subscriber,
    clockAt: () => undefined,
    opened: () => undefined,
    goBack: (work) => work(),
    watch: (world) => world,
  });
  let registered = 0;
  return {
    ...surface,
    clock: pausingAfter(surface.clock, pause, ["advance", "set"]),
    payments: pausingAfter(surface.payments, pause, ["pay", "expire"]),
    webhooks: {
      ...surface.webhooks,
      async create(options) {
        const url = typeof options === "string" ? options : options.url;
        registered += 1;
        if (url !== subscriber)
          return refuse(
            `webhooks.create("${url}")`,
            "all webhooks of a story go to the subscriber, at sandbox.inbox(name).url",
          )();
        if (registered > 1) return refuse("webhooks.create twice", "a story has one endpoint")();
        return surface.webhooks.create(options);
      },
    },
    open: refuse("open()", otherWorld),
    fork: refuse("fork()", otherWorld),
    restore: refuse("restore()", otherWorld),
    reset: refuse("reset()", otherWorld),
  };
}

/** The same object, except that functions with these names end with a pause. */
function pausingAfter<Part extends object>(
  part: Part,
  pause: () => Promise<void>,
  names: (keyof Part)[],
): Part {
  const pausing = { ...part };
  for (const name of names) {
    const call = part[name] as (...values: unknown[]) => Promise<unknown>;
    pausing[name] = (async (...values: unknown[]) => {
      const result = await call(...values);
      await pause();
      return result;
    }) as Part[typeof name];
  }
  return pausing;
}

function failedStory(error: unknown, file: string, calm: boolean): unknown {
  if (error instanceof SandboxError && error.code === "invalid_state") return error;
  const [message] = (error instanceof Error ? error.message : String(error)).split("\n");
  return calm
    ? invalidState(
        `${file} fails in the calm run: ${message}`,
        `See where: npx sandglass run ${shellArgument(file)} --subscriber <url>`,
      )
    : invalidState(
        `${file} fails when its deliveries do: ${message}`,
        "Explore changes how webhooks are delivered. Write a scenario for it that only causes events and does not read deliveries.",
      );
}

/** Expectations that always pass: any matcher, any modifier, any asymmetric matcher. */
function ignoringExpect(): Expect {
  const anything: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === "then" || typeof name === "symbol" ? undefined : anything),
    apply: (_target, _self, [value]) => {
      // No code awaits this promise, so its failure must not count as unhandled.
      if (value instanceof Promise) value.catch(() => undefined);
      return anything;
    },
  });
  return anything as Expect;
}
