import fc from "fast-check";
import { expect, test } from "vitest";
import { doInOrder } from "../../src/trial/schedules/in-order.ts";

type Kind = "plain" | "suspect" | "wrong" | "broken";

test("schedules distributed over several servers give the same results as on one, no matter which server is faster", async () => {
  const kinds = fc.array(fc.constantFrom<Kind>("plain", "plain", "suspect", "wrong", "broken"), {
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.nat(3),
      fc.boolean(),
      fc.scheduler(),
      async (tasks, helpers, all, scheduler) => {
        const taken: number[] = [];
        const numbers = tasks.map((_, number) => number);
        const work = async (number: number) => {
          await scheduler.schedule(Promise.resolve());
          return number;
        };
        const ended = scheduler.waitFor(
          doInOrder({
            tasks: numbers,
            lead: work,
            helpers: Array.from({ length: helpers }, async () => {
              await scheduler.schedule(Promise.resolve());
              return async (number: number) => {
                await work(number);
                if (tasks[number] === "broken") throw new Error("The server ended.");
                return tasks[number] === "plain" ? number : undefined;
              };
            }),
            stop: () => undefined,
            async take(number) {
              taken.push(number);
              await scheduler.schedule(Promise.resolve());
              return tasks[number] === "wrong" && !all;
            },
            mayEnd: (number) => !all && (number === undefined || tasks[number] === "wrong"),
            mayBegin: () => true,
          }),
        );
        const first = all ? -1 : tasks.indexOf("wrong");
        const last = first < 0 ? tasks.length : first + 1;
        expect(await ended).toBe(last);
        expect(taken).toEqual(numbers.slice(0, last));
      },
    ),
  );
});
