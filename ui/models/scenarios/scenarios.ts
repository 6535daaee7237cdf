import { computed, createModel, effect } from "@preact/signals";
import type { Machine } from "../clock.ts";
import { createReading } from "../reading.ts";
import type { Run, RunRequest, ScenarioApi } from "./api.ts";
import { isUnderWay } from "./course.ts";

/** How often the runs are read while one of them is under way, milliseconds. */
const LOOK_MS = 1_000;
/** With what so many runs were asked for is remembered; the server keeps fewer. */
const REMEMBERED = 50;

export type Scenarios = InstanceType<typeof Scenarios>;

/** The scenarios of a server, and its latest runs. */
export const Scenarios = createModel((api: ScenarioApi, machine: Pick<Machine, "every">) => {
  const list = createReading(api.list);
  const runs = createReading(api.runs);
  const requests = new Map<string, RunRequest>();
  effect(() =>
    machine.every(LOOK_MS, () => {
      if (runs.value.peek()?.some(({ status }) => isUnderWay(status))) void runs.read();
    }),
  );

  return {
    list,
    runs,
    /** Newest first. */
    latest: computed(() => runs.value.value && [...runs.value.value].reverse()),

    /** @throws ApiError */
    async start(scenario: string, request: RunRequest): Promise<Run> {
      const run = await api.start(scenario, request);
      requests.set(run.id, request);
      for (const id of requests.keys()) if (requests.size > REMEMBERED) requests.delete(id);
      void runs.read();
      return run;
    },

    /**
     * What a run has to be asked for with to be run again, as far as this page knows: a secret is only known where the
     * run was asked for.
     * @param subscriber that of the run, once its report tells it
     */
    again({ id, params }: Run, subscriber: string | null): RunRequest | undefined {
      const request = requests.get(id);
      if (request) return request;
      return subscriber === null ? { params } : undefined;
    },

    /** Stops a run that is under way; its world ends with it. @throws ApiError */
    async remove(id: string): Promise<void> {
      await api.remove(id);
      requests.delete(id);
      await runs.read();
    },
  };
});
