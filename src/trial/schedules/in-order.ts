/** Performs a task; not called again after it throws. @returns undefined if `lead` must redo the task */
type Help<Task, Result> = (task: Task) => Promise<Result | undefined>;

/** Tasks shared by several workers. Their results are processed as if one worker had done the tasks in sequence. */
export interface SharedTasks<Task, Result> {
  tasks: readonly Task[];
  /** Performs a task. Its results are final. */
  lead(task: Task): Promise<Result>;
  /** Additional workers. Each starts to help once it is ready. */
  helpers: readonly Promise<Help<Task, Result> | undefined>[];
  /** Stops the helpers permanently. */
  stop(): void;
  /** Receives the results of `lead` and the helpers, in task order. @returns whether to stop */
  take(result: Result, task: Task): Promise<boolean>;
  /** Whether `take` may stop at this result. If so, no further task starts. */
  mayEnd(result: Result | undefined): boolean;
  /** Whether another task may start. */
  mayBegin(): boolean;
}

/**
 * Distributes tasks among workers until the last result has been taken.
 * @returns the number of results taken
 * @throws like `lead` and `take`, in task order
 */
export async function doInOrder<Task, Result>(shared: SharedTasks<Task, Result>): Promise<number> {
  const { tasks, lead, helpers, stop, take, mayEnd, mayBegin } = shared;
  /** Results that have not been taken yet, keyed by task number. Undefined means the task must be redone. */
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
