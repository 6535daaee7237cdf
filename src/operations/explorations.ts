import type { StartedExploration } from "../explore/explorations.ts";
import { wallTimer } from "../world/clock.ts";
import { MINUTE, parseDuration } from "../world/duration.ts";
import { asSandboxError } from "./errors.ts";
import { operationsOf } from "./operation.ts";
import { dataOf, idOf } from "./schemas/common.ts";
import * as shapes from "./schemas/explorations.ts";

const operation = operationsOf("Explorations");
const MOST_WAIT_MS = MINUTE;

/** Explorations of subscribers. They are the same through every world. See docs/explore-reference.md, "Over HTTP". */
export const explorationOperations = [
  operation("explorations.stories", "GET /explorations/stories", {
    id: "listStories",
    summary: "The stories that an exploration can play",
    answer: shapes.StoryList,
    async run() {
      const { STORIES } = await import("../explore/stories.ts");
      return { data: STORIES.map(({ name, title }) => ({ name, title })) };
    },
  }),
  operation("explorations.start", "POST /explorations", {
    id: "startExploration",
    reachesOut: true,
    summary: "Look for the delivery schedule that breaks a subscriber",
    description: "It returns at once. One runs at a time, in a world of its own.",
    body: shapes.NewExploration,
    answer: shapes.Exploration,
    status: 201,
    run: async ({ serving, body }) => viewOf(await (await serving.explorations()).start(body)),
  }),
  operation("explorations.list", "GET /explorations", {
    id: "listExplorations",
    summary: "The latest explorations, oldest first, without their results",
    answer: dataOf(shapes.Exploration, "Explorations"),
    run: async ({ serving }) => ({
      data: await Promise.all(
        (await serving.explorations()).list().map(async (one) => ({ ...(await viewOf(one)), result: null })),
      ),
    }),
  }),
  operation("explorations.get", "GET /explorations/:id", {
    id: "getExploration",
    summary: "How far an exploration is, and its result once it has ended",
    description: "With `wait`, it answers when the exploration has ended, or after that much real time.",
    params: idOf("an exploration"),
    query: shapes.Wait,
    answer: shapes.Exploration,
    async run({ serving, params, query: { wait } }) {
      const found = (await serving.explorations()).find(params.id);
      if (wait !== undefined) await endOrTimeOut(found.done, parseDuration(wait));
      return viewOf(found);
    },
  }),
  operation("explorations.delete", "DELETE /explorations/:id", {
    id: "deleteExploration",
    effect: "ends",
    summary: "Cancel an exploration if it is under way, and delete it",
    params: idOf("an exploration"),
    answer: shapes.ExplorationRemoved,
    async run({ serving, params: { id } }) {
      (await serving.explorations()).remove(id);
      return { id, deleted: true };
    },
  }),
];

/** Resolves when an exploration has ended, at the latest after so much real time. */
async function endOrTimeOut(done: Promise<void>, ms: number): Promise<void> {
  let cancel = () => {};
  const timeOut = new Promise<void>((resolve) => {
    cancel = wallTimer(Math.min(ms, MOST_WAIT_MS), resolve);
  });
  await Promise.race([done, timeOut]);
  cancel();
}

async function viewOf({ id, asked, progress, result, error: thrown }: StartedExploration) {
  const { hasSecret, ...request } = asked;
  const [{ explorationView }, { surveyVerdict }] = await Promise.all([
    import("../explore/report/view.ts"),
    import("../explore/report/verdict.ts"),
  ]);
  const error = thrown === null ? null : asSandboxError(thrown);
  const status = error ? "failed" : result === null ? "running" : surveyVerdict(result);
  return {
    id,
    status,
    ...request,
    own_secret: hasSecret,
    progress,
    error: error && { code: error.code, message: error.message, hint: error.hintFor("http") },
    result: result && explorationView(result),
  };
}
