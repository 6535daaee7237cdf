import { resolveConfig } from "../../../src/config/config.ts";
import { serve } from "../../../src/server/serve.ts";
import { surveyVerdict, type Verdict } from "../../../src/trial/findings/verdict.ts";
import { exploreStories } from "../../../src/trial/schedules/explore.ts";
import { STORIES } from "../../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../../src/trial/subject/remote.ts";
import { FUNCTION_URL } from "../../../src/trial/subject/subscriber.ts";
import type { Engine, Opened } from "./engines.ts";
import { type Drawn, handleWith } from "./interleavings.ts";

/**
 * Stories with two deliveries: both events of checkout, or the payments of two-customers, whose other events are
 * ignored.
 */
export const EXPLORED = ["checkout", "two-customers"] as const;

interface Data {
  id: string;
  checkoutSession?: { clientReferenceId: string };
}

/** Explores generated handlers, which are functions whose SQL statements are observed. */
export interface Explorer {
  explore(made: Drawn, story: (typeof EXPLORED)[number]): Promise<Verdict>;
  close(): Promise<void>;
}

export async function openExplorer(url: string, engine: Engine): Promise<Explorer> {
  const statements = await engine.openStatements(url);
  const [own, led] = [
    await engine.open(url),
    openPool(() => engine.open(engine.urlAt(url, statements.place))),
  ];
  const settings = resolveConfig({}, 0);
  return {
    async explore(made, story) {
      await engine.prepare(own, made);
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
          const status = await led
            .use((client) => handleWith(client, made, { id: data.id, amount }, engine))
            .catch(() => 500);
          return new Response(null, { status });
        },
        resetBy: () => engine.empty(own),
        stateUrl: () => engine.readState(own),
      });
      // The handler finishes all work before it responds.
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

/** A pool that reuses connections, except for connections on which work failed. */
function openPool(open: () => Promise<Opened>) {
  const idle: Opened[] = [];
  return {
    async use(work: (client: Opened) => Promise<number>): Promise<number> {
      const client = idle.pop() ?? (await open());
      try {
        const status = await work(client);
        if (status === 500) void client.end();
        else idle.push(client);
        return status;
      } catch (error) {
        void client.end().catch(() => undefined);
        throw error;
      }
    },
    end: () => Promise.all(idle.map((client) => client.end())),
  };
}
