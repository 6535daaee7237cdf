import type { Client, ResultOf } from "../../client/http.ts";
import { isObject, readJson } from "../../client/refusal.ts";
import { closest } from "../../errors/closest.ts";
import { misuse, notFound } from "../../errors/errors.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { instant } from "../../timeline/instant.ts";
import { clip, count } from "../../timeline/text.ts";
import { readCount } from "../operation/actions.ts";
import { findNamed } from "../operation/find-named.ts";
import { type Given, view, viewsOf } from "../operation/view.ts";
import { bodyLines, type Cell, columns, fields, paint } from "../output.ts";

type Message = ResultOf<"inboxes.messages">["data"][number];
type Behaviour = ResultOf<"inboxes.behaviour">;
/** An inbox's latest messages, and the responses it sends. */
interface Received {
  data: Message[];
  behaviour: Behaviour;
}

/** How many messages an inbox stores. */
const MOST = 1_000;
const DEFAULT_STATUS = 200;
/** The maximum length of a body shown on one line, in characters. */
const BODY_SHOWN = 60;

export const views = viewsOf(
  view("inboxes.list", {
    lines: ({ data }, { sandbox }) =>
      data.length === 0
        ? [
            `No inbox has received anything yet. Any name creates one: npx sandglass webhooks create ${sandbox.url}/_sandbox/inbox/shop`,
          ]
        : columns(
            data.map(({ name, messages: received, last_received_at: at }): Cell[] => [
              { text: name, color: paint.bold },
              count(received, "message"),
              { text: `latest ${instant(at)}`, color: paint.dim },
              { text: `${sandbox.url}/_sandbox/inbox/${name}`, color: paint.cyan },
            ]),
          ),
  }),

  view("inboxes.messages", {
    read({ name, limit }) {
      readCount(String(limit), "--limit", { most: MOST });
      return { name, limit: MOST };
    },
    async pick({ data }, { sandbox, given }): Promise<Message | Received> {
      const { name, message, limit } = given;
      if (message !== undefined && data.length === 0)
        throw notFound(
          `The inbox ${name} has not received anything yet.`,
          "List the inboxes that have messages: npx sandglass inbox",
        );
      if (message !== undefined)
        return findNamed(data, message, "seq", "message", `inbox ${shellArgument(name)}`);
      given.earlier = Math.max(0, data.length - limit);
      return { data: data.slice(-limit), behaviour: await sandbox.run("inboxes.behaviour", { name }) };
    },
    async lines(shown, { sandbox, given }) {
      if (!("behaviour" in shown)) return messageLines(shown);
      const { data, behaviour } = shown;
      return [
        ...(data.length === 0 ? [await emptyText(sandbox, given.name)] : columns(data.map(row))),
        ...(given.earlier > 0 ? [paint.dim(`and ${given.earlier} earlier; --limit prints more`)] : []),
        ...(Object.keys(behaviour).length > 0
          ? [paint.dim(`It is set to respond with ${behaviourText(behaviour)}.`)]
          : []),
      ];
    },
  }),

  view("inboxes.behave", {
    read({ name, message, answer, delay, body }) {
      if (message !== undefined)
        throw misuse(
          "--answer, --delay and --body change an inbox, not one of its messages.",
          `Leave out '${message}'.`,
        );
      return { name, delay, body, ...(answer !== undefined && readAnswers(answer)) };
    },
    lines: (behaviour, { sandbox, given: { name } }) =>
      fields([
        ["inbox", `${name}, ${sandbox.url}/_sandbox/inbox/${name}`],
        ["responds", behaviourText(behaviour)],
      ]),
  }),
);

/** Parses the statuses for the next messages. The last status also applies to all later messages. */
function readAnswers(text: string): Given {
  const statuses = text.split(",").map((step) => (/^ *\d+ *$/.test(step) ? Number(step) : step.trim()));
  const status = statuses.pop();
  return { status, ...(statuses.length > 0 && { sequence: statuses }) };
}

async function emptyText(sandbox: Client, name: string): Promise<string> {
  const meant = closest(
    name,
    (await sandbox.run("inboxes.list")).data.map((inbox) => inbox.name),
  );
  const wayOut = meant
    ? `Did you mean: npx sandglass inbox ${shellArgument(meant)}`
    : `Send webhooks to it: npx sandglass webhooks create ${shellArgument(`${sandbox.url}/_sandbox/inbox/${name}`)}`;
  return `The inbox ${name} has not received anything yet. ${wayOut}`;
}

const messageLines = (message: Message): string[] => [
  ...fields([
    ["received", `${instant(message.received_at)} UTC`],
    ["signature", { ...signatureCell(message), text: signatureText(message) }],
    ["answered", { ...answerCell(message), text: String(message.answered) }],
  ]),
  "",
  ...fields(Object.entries(message.headers)),
  ...bodyLines("body", message.body),
];

/** Describes an inbox's behaviour in words: `500, 410, then 200, after 50 ms each, with the body {}`. */
function behaviourText({ status = DEFAULT_STATUS, sequence = [], delay = 0, body }: Behaviour): string {
  return [
    ...sequence,
    sequence.length > 0 ? `then ${status}` : status,
    ...(delay > 0 ? [`after ${formatDuration(delay)} each`] : []),
    ...(body === undefined ? [] : [`with the body ${clip(body, BODY_SHOWN)}`]),
  ].join(", ");
}

const row = (message: Message): Cell[] => [
  { text: String(message.seq), color: paint.dim },
  { text: instant(message.received_at), color: paint.dim },
  eventOf(message),
  answerCell(message),
  signatureCell(message),
];

const answerCell = ({ answered }: Message) => ({
  text: `returned ${answered}`,
  color: answered < 300 ? paint.green : paint.red,
});

const signatureCell = (message: Message) => ({
  text: `signature ${signatureText(message)}`,
  color: message.signature === "valid" ? paint.green : paint.red,
});

/** A signature's status in words: `valid`, `invalid`, `missing` or `unknown webhook`. */
const signatureText = ({ signature }: Message): string => signature.replaceAll("_", " ");

/** A message's event type; for any other body, its start. */
function eventOf({ body }: Message): string {
  const content = readJson(body);
  return isObject(content) && typeof content.event === "string" ? content.event : clip(body, BODY_SHOWN);
}
