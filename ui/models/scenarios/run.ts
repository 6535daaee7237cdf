import { batch, createModel, effect, signal } from "@preact/signals";
import type { Run, RunEvent, ScenarioApi } from "./api.ts";
import { applyEvent, type Course, courseOf, isUnderWay, NOT_BEGUN } from "./course.ts";

/** Events that come within so many milliseconds are shown together: a log may be thousands of lines. */
const TOGETHER_MS = 16;
/** After which a run is asked for again that could not be followed. */
const RETRY_MS = 1_000;

export type FollowedRun = InstanceType<typeof FollowedRun>;

/**
 * A run, from its beginning to its report, whenever it is opened: what happened so far is repeated by the
 * server, and what was pending twice is shown once.
 */
export const FollowedRun = createModel(
  (api: Pick<ScenarioApi, "run" | "follow">, id: string, onEnded: () => void = () => {}) => {
    const run = signal<Run | undefined>(undefined);
    const course = signal<Course>(NOT_BEGUN);
    const error = signal<Error | undefined>(undefined);
    const lost = signal(false);
    const removed = signal(false);
    let unfollow: (() => void) | undefined;
    let pending: RunEvent[] = [];
    let showing: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let closed = false;

    function show(): void {
      clearTimeout(showing);
      showing = undefined;
      const events = pending;
      pending = [];
      if (events.length > 0) course.value = events.reduce(applyEvent, course.peek());
    }

    function hear(event: RunEvent): void {
      pending.push(event);
      if (event.type !== "run.ended") {
        showing ??= setTimeout(show, TOGETHER_MS);
        return;
      }
      hangUp();
      show();
      // Of a run that was removed the server knows nothing any more.
      if (!removed.peek()) void read();
      onEnded();
    }

    function follow(): void {
      hangUp();
      unfollow = api.follow(id, {
        event: hear,
        connection(state) {
          lost.value = state !== "open";
          if (state !== "refused") return;
          hangUp();
          if (!removed.peek()) retry = setTimeout(() => void read(), RETRY_MS);
        },
      });
    }

    function hangUp(): void {
      clearTimeout(retry);
      unfollow?.();
      unfollow = undefined;
    }

    async function read(): Promise<void> {
      try {
        const found = await api.run(id);
        if (closed) return;
        batch(() => {
          run.value = found;
          error.value = undefined;
          lost.value = false;
          if (found.report) course.value = courseOf(found.report);
        });
        if (isUnderWay(found.status) && !unfollow) follow();
      } catch (reason) {
        if (!closed) error.value = reason as Error;
      }
    }

    effect(() => () => {
      closed = true;
      hangUp();
      clearTimeout(showing);
    });
    void read();
    return {
      run,
      course,
      error,
      /** Whether the live stream is down, so that progress is missing. */
      lost,
      /** Whether the server was asked to remove it. */
      removed,
      read,
      /** Call this before asking the server to remove the run: its live stream ends then, which must not look like a lost connection. */
      forget(): void {
        removed.value = true;
        if (course.peek().state === "waiting") {
          hangUp();
          course.value = { ...course.peek(), state: "stopped" };
        }
      },
    };
  },
);
