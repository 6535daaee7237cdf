import { createRequire } from "node:module";
import { resolveConfig } from "../../../src/config/config.ts";
import { serve } from "../../../src/server/serve.ts";
import { urlAt } from "../../../src/trial/database/postgres/variable.ts";
import { surveyVerdict, type Verdict } from "../../../src/trial/findings/verdict.ts";
import { exploreStories } from "../../../src/trial/schedules/explore.ts";
import { openStatements } from "../../../src/trial/statements/postgres/open.ts";
import { STORIES } from "../../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../../src/trial/subject/remote.ts";
import { FUNCTION_URL } from "../../../src/trial/subject/subscriber.ts";
import { type Drawn, handleWith, schemaOf } from "./interleavings.ts";

const { Pool } = createRequire(import.meta.url)("pg");
const STATE = "select (select total from accounts) as total, (select count(*) from events)::int as events";

/** The stories of two deliveries: both events of checkout, or the payments of two-customers, whose other events are ignored. */
export const EXPLORED = ["checkout", "two-customers"] as const;

interface Data {
  id: string;
  checkoutSession?: { clientReferenceId: string };
}

/** Explores drawn handlers as functions whose statements are seen. */
export interface Explorer {
  explore(made: Drawn, story: (typeof EXPLORED)[number]): Promise<Verdict>;
  close(): Promise<void>;
}

export async function openExplorer({ url }: { url: string }): Promise<Explorer> {
  const statements = await openStatements(url);
  const [own, led] = [new Pool({ connectionString: url, max: 1 }), openPool(urlAt(url, statements.place)!)];
  const settings = resolveConfig({}, 0);
  return {
    async explore(made, story) {
      await own.query(schemaOf(made));
      const subject = remoteSubject({
        ...{ url: FUNCTION_URL, around: { statements }, timeout: 30_000 },
        async handler(request: Request): Promise<Response> {
          const { event, data } = (await request.json()) as { event: string; data: Data };
          const isPayment = event === "payment.completed";
          if (request.headers.has("x-platform-test")) return new Response();
          if (story === "two-customers" && !isPayment) return new Response();
          const isFirst =
            story === "checkout" ? isPayment : data.checkoutSession?.clientReferenceId === "order-7";
          const amount = isFirst ? 5 : 7;
          const client = await led.connect().catch(() => undefined);
          if (!client) return new Response(null, { status: 500 });
          const status = await handleWith(client, made, { id: data.id, amount }).catch(() => 500);
          client.release(status === 500);
          return new Response(null, { status });
        },
        resetBy: () => own.query("delete from events; update accounts set total = 0"),
        stateUrl: async () => (await own.query(STATE)).rows[0],
      });
      // It has done all that it does when it answers.
      Object.assign(subject, { idle: async () => undefined, quiet: 0 });
      const survey = await exploreStories({
        ...{ stories: STORIES.filter(({ name }) => name === story), subject, settings, serve },
        ...{
          secret: "whsec_test",
          seed: "drawn",
          ignore: [],
          deviations: 1,
          budget: 600_000,
          timeout: 30_000,
        },
        signal: new AbortController().signal,
      });
      return surveyVerdict(survey);
    },
    async close() {
      await Promise.all([own.end(), led.end()]);
      await statements.close();
    },
  };
}

function openPool(connectionString: string) {
  const pool = new Pool({ connectionString });
  pool.on("error", () => undefined);
  pool.on("connect", (client: { on(event: "error", listener: () => void): void }) =>
    client.on("error", () => undefined),
  );
  return pool;
}
