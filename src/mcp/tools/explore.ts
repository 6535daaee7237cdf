import { Type } from "typebox";
import { nullable, oneOf } from "../../http/shapes.ts";
import { optional, text } from "../schemas.ts";
import { tool } from "../tool.ts";

/** An exploration as the control API returns it, as far as an agent needs it. */
interface Exploration {
  id: string;
  status: "running" | "found" | "nothing_found" | "not_deterministic" | "inconclusive" | "failed";
  error: { message: string; hint: string } | null;
  result: {
    verdict: string;
    unstable: Difference[] | null;
    finding: {
      title: string;
      attempts: { at: string; event: string; attempt: number; result: string }[];
      differences: Difference[];
      runs: number;
      wrong: number;
      why: string;
      scenario: { name: string; text: string } | null;
    } | null;
  } | null;
}

interface Difference {
  path: string;
  expected?: unknown;
  actual?: unknown;
}

const WAIT = "20s";

const Differences = Type.Array(
  Type.Object({
    path: Type.String(),
    expected: Type.Optional(Type.Unknown()),
    actual: Type.Optional(Type.Unknown()),
  }),
);

/** Finds the delivery schedule that breaks a webhook handler. */
export const exploreTools = [
  tool({
    name: "explore_subscriber",
    title: "Find the sequence that breaks a webhook handler",
    description:
      "Plays short stories against a webhook handler with every delivery schedule that the platform can produce: lost, repeated, reordered, overlapping. Returns the shortest one that ends in another state, and a scenario that plays it again. Only nothing_found means that the handler passed. Takes up to a minute. Use a development server: it is reset before each schedule.",
    effect: "changes",
    reachesOut: true,
    input: {
      url: text("Where the handler takes webhooks."),
      state: text("A URL that returns the server's state as JSON, by GET."),
      reset: text("A URL that makes its state empty, by POST."),
      secret: optional(text("The secret it verifies with. Default: SANDGLASS_WEBHOOK_SECRET.")),
      story: optional(
        text(
          "checkout, late-payment, expiry-race, refused-then-paid, twice-paid, two-customers or rush. All of them by default.",
        ),
      ),
      deviations: optional(Type.Integer({ minimum: 1, maximum: 9, description: "Default 2." })),
      ignore: optional(
        Type.Array(Type.String(), {
          description: "Paths that differ by themselves, as in orders.*.updated_at.",
        }),
      ),
      ordered: optional(Type.Array(Type.String(), { description: "Paths of lists whose order counts." })),
    },
    output: {
      status: oneOf(["found", "nothing_found", "not_deterministic", "inconclusive", "failed"]),
      verdict: text("What was covered, or why it failed."),
      finding: nullable(
        Type.Object({
          title: text("What is wrong in the end."),
          story: Type.Array(Type.String(), { description: "Each attempt, in order." }),
          runs: Type.Integer({ description: "How often it was played." }),
          wrong: Type.Integer({ description: "In how many of these runs it went wrong." }),
          differences: Differences,
          why: text("What happened, and what the handler needs."),
          scenario: nullable(
            Type.Object({ name: Type.String(), text: text("Save it as scenarios/<name>.ts.") }),
          ),
        }),
      ),
      unstable: nullable(Differences),
      html: nullable(text("The result with both timelines, as a web page.")),
    },
    async run({ sandbox }, { url, secret, ...rest }, { signal, inWords }) {
      const client = await sandbox();
      const signingSecret = secret ?? process.env.SANDGLASS_WEBHOOK_SECRET;
      const { id } = await client.control<Exploration>("POST", "/explorations", {
        body: {
          ...rest,
          subscriber: url,
          ...(signingSecret !== undefined && { secret: signingSecret }),
        },
        fields: ["id"],
      });
      const cancel = () =>
        void client.control("DELETE", `/explorations/${id}`, { fields: ["id"] }).catch(() => undefined);
      signal.addEventListener("abort", cancel);
      try {
        for (;;) {
          const { status, result, error } = await client.control<Exploration>(
            "GET",
            `/explorations/${id}?wait=${WAIT}`,
            { fields: ["status"] },
          );
          if (status === "running") continue;
          const finding = result?.finding ?? null;
          return {
            status,
            verdict: inWords(result?.verdict ?? `${error!.message} ${error!.hint}`),
            finding: finding && {
              title: finding.title,
              story: finding.attempts.map(
                ({ at, event, attempt, result: end }) => `${at} ${event}, attempt ${attempt}: ${end}`,
              ),
              ...{ runs: finding.runs, wrong: finding.wrong },
              differences: finding.differences,
              why: inWords(finding.why),
              scenario: finding.scenario,
            },
            unstable: result?.unstable ?? null,
            html: result ? `${client.url}/_sandbox/explorations/${id}/report.html` : null,
          };
        }
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
  }),
];
