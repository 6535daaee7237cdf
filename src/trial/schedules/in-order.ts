/** Does a task, until it throws. @returns undefined for a task that `lead` must do again */
type Help<Task, Result> = (task: Task) => Promise<Result | undefined>;

/** Tasks that several workers share, with their results taken as if one worker did them one after another. */
export interface SharedTasks<Task, Result> {
  tasks: readonly Task[];
  /** Does a task. Its results are final. */
  lead(task: Task): Promise<Result>;
  /** Do tasks as well, each once it is ready. */
  helpers: readonly Promise<Help<Task, Result> | undefined>[];
  /** Ends what the helpers still do, for good. */
  stop(): void;
  /** Takes the results of `lead` and of the helpers, in the order of the tasks. @returns whether it was the last one */
  take(result: Result, task: Task): Promise<boolean>;
  /** Whether `take` may end it with this result. No further task begins then. */
  mayEnd(result: Result | undefined): boolean;
  /** Whether another task may begin. */
  mayBegin(): boolean;
}

/**
 * Shares tasks among workers until the last result is taken.
 * @returns how many results were taken
 * @throws as `lead` and `take`, in the order of the tasks
 */
export async function doInOrder<Task, Result>(shared: SharedTasks<Task, Result>): Promise<number> {
  const { tasks, lead, helpers, stop, take, mayEnd, mayBegin } = shared;
  /** The results that were not yet taken, by the number of their task: undefined for a task to do again. */
  const done = new Map<number, Result | undefined>();
  let [begun, taken] = [0, 0];
  let isOver = false;
  let change = Promise.withResolvers<void>();

  function note(task: number, result: Result | undefined): void {
    done.set(task, result);
    notify();
  }

  function notify(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  const isLeft = (): boolean => !isOver && begun < tasks.length && mayBegin();
  const isHeldUp = (): boolean => [...done.values()].some(mayEnd);

  async function help(ready: Promise<Help<Task, Result> | undefined>): Promise<void> {
    const work = await ready;
    while (work && isLeft()) {
      if (isHeldUp()) {
        await change.promise;
        continue;
      }
      const task = begun;
      begun += 1;
      try {
        note(task, await work(tasks[task]!));
      } catch {
        note(task, undefined);
        return;
      }
    }
  }

  const helping = helpers.map(help);
  try {
    while (!isOver && taken < tasks.length) {
      if (done.has(taken)) {
        const result = done.get(taken) ?? (await lead(tasks[taken]!));
        isOver = await take(result, tasks[taken]!);
        done.delete(taken);
        taken += 1;
        notify();
      } else if (isLeft() && !isHeldUp()) {
        const task = begun;
        begun += 1;
        note(task, await lead(tasks[task]!));
      } else if (begun === taken) break;
      else await change.promise;
    }
    return taken;
  } finally {
    isOver = true;
    notify();
    if (begun > taken) {
      stop();
      await Promise.all(helping);
    }
  }
}
