import type { Client } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { shellArgument } from "../runtime/shell.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { formatDuration } from "../story/duration.ts";
import { instant } from "../story/instant.ts";
import { clip, count } from "../story/text.ts";
import { parseDuration } from "../world/duration.ts";
import { readCount } from "./actions.ts";
import { bodyLines } from "./body-text.ts";
import type { Invocation } from "./command.ts";
import { readStatus } from "./fault-flags.ts";
import { type Cell, columns, fields, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Inboxes = Sandbox["payments"]["inboxes"];
type Summary = ReturnType<Inboxes["list"]>[number];
type Message = ReturnType<Inboxes["messages"]>[number];
type Behaviour = ReturnType<Inboxes["behaviour"]>;

interface Options extends ServerOptions {
  answer?: string;
  delay?: string;
  body?: string;
  limit?: string;
}

/** The name of the latest message. */
const LATEST = "last";
const DEFAULT_LIMIT = "20";
/** As many as an inbox stores. */
const MOST = 1_000;
const DEFAULT_STATUS = 200;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;
/** Characters of a body that a line shows. */
const BODY_SHOWN = 60;

/** `sandglass inbox`: the built-in subscribers, what one received, and how it answers. */
export async function run({ args: [name, message], options }: Invocation<Options>): Promise<undefined> {
  const limit = readCount(options.limit ?? DEFAULT_LIMIT, "--limit", { most: MOST });
  const behaviour = readBehaviour(options);
  if (name === undefined && behaviour)
    throw new SandboxError(
      "bad_request",
      "--answer, --delay and --body need the name of an inbox.",
      "Any name will do, for example: npx sandglass inbox shop --answer 500,200",
    );
  if (message !== undefined && behaviour)
    throw new SandboxError(
      "bad_request",
      "--answer, --delay and --body change an inbox, not one of its messages.",
      `Leave out '${message}'.`,
    );
  if (name !== undefined && !NAME.test(name))
    throw new SandboxError(
      "bad_request",
      `'${name}' cannot be the name of an inbox.`,
      "A name has up to 100 letters, digits, dots, hyphens and underscores. Print those with messages: npx sandglass inbox",
    );
  const sandbox = await chosenSandbox(options);
  if (name === undefined) await list(sandbox, options);
  else if (behaviour) await change(sandbox, name, behaviour, options);
  else if (message !== undefined) await show(sandbox, name, message, options);
  else await messages(sandbox, name, limit, options);
  return undefined;
}

/** How the inbox is to answer; undefined where no flag says so. */
function readBehaviour({ answer, delay, body }: Options): Behaviour | undefined {
  if (answer === undefined && delay === undefined && body === undefined) return undefined;
  return {
    ...(answer !== undefined && readAnswers(answer)),
    ...(delay !== undefined && { delay: parseDuration(delay) }),
    ...(body !== undefined && { body }),
  };
}

/** Statuses for the next messages, the last of which stays. */
function readAnswers(text: string): Behaviour {
  const statuses = text
    .split(",")
    .map((step) => readStatus(step.trim(), "A status of --answer", { least: 200, most: 599 }));
  const status = statuses.pop()!;
  return { status, ...(statuses.length > 0 && { sequence: statuses }) };
}

const pathOf = (name: string): string => `/inbox/${encodeURIComponent(name)}`;

async function readInboxes(sandbox: Client): Promise<Summary[]> {
  return (await sandbox.run("inboxes.list")).data;
}

async function readMessages(sandbox: Client, name: string): Promise<Message[]> {
  return (await sandbox.run("inboxes.messages", { name, limit: MOST })).data;
}

async function list(sandbox: Client, { json }: Options): Promise<void> {
  const data = await readInboxes(sandbox);
  if (json) return printJson({ data });
  if (data.length === 0)
    return print(
      `No inbox received anything yet. Any name makes one: npx sandglass webhooks create ${sandbox.url}/_sandbox/inbox/shop`,
    );
  const rows = data.map(({ name, messages: received, last_received_at: at }): Cell[] => [
    { text: name, color: paint.bold },
    count(received, "message"),
    { text: `latest ${instant(at)}`, color: paint.dim },
    { text: `${sandbox.url}/_sandbox/inbox/${name}`, color: paint.cyan },
  ]);
  for (const line of columns(rows)) print(line);
}

async function messages(sandbox: Client, name: string, limit: number, { json }: Options): Promise<void> {
  const all = await readMessages(sandbox, name);
  const data = all.slice(-limit);
  const behaviour = await sandbox.run("inboxes.behaviour", { name });
  if (json) return printJson({ data, behaviour });
  if (data.length === 0) print(await emptyText(sandbox, name));
  else for (const line of columns(data.map(row))) print(line);
  if (data.length < all.length)
    print(paint.dim(`and ${all.length - data.length} earlier; --limit prints more`));
  if (Object.keys(behaviour).length > 0) print(paint.dim(`It is set to answer ${behaviourText(behaviour)}.`));
}

async function emptyText(sandbox: Client, name: string): Promise<string> {
  const names = (await readInboxes(sandbox)).map((inbox) => inbox.name);
  const meant = closest(name, names);
  const wayOut = meant
    ? `Did you mean: npx sandglass inbox ${shellArgument(meant)}`
    : `Send webhooks to it: npx sandglass webhooks create ${shellArgument(`${sandbox.url}/_sandbox${pathOf(name)}`)}`;
  return `The inbox ${name} received nothing yet. ${wayOut}`;
}

async function show(sandbox: Client, name: string, message: string, { json }: Options): Promise<void> {
  const all = await readMessages(sandbox, name);
  const found = message === LATEST ? all.at(-1) : all.find(({ seq }) => String(seq) === message);
  if (!found)
    throw new SandboxError(
      "not_found",
      all.length === 0
        ? `The inbox ${name} received nothing yet.`
        : `The inbox ${name} has no message ${message}.`,
      all.length === 0
        ? "Print the inboxes with messages: npx sandglass inbox"
        : `Print them all: npx sandglass inbox ${shellArgument(name)}`,
    );
  if (json) return printJson(found);
  const lines = [
    ...fields([
      ["received", `${instant(found.received_at)} UTC`],
      ["signature", { ...signatureCell(found), text: signatureText(found) }],
      ["answered", { ...answerCell(found), text: String(found.answered) }],
    ]),
    "",
    ...fields(Object.entries(found.headers)),
    ...bodyLines("body", found.body),
  ];
  for (const line of lines) print(line);
}

async function change(sandbox: Client, name: string, behaviour: Behaviour, { json }: Options): Promise<void> {
  const answer = await sandbox.run("inboxes.behave", { name, ...behaviour });
  if (json) return printJson(answer);
  for (const line of fields([
    ["inbox", `${name}, ${sandbox.url}/_sandbox/inbox/${name}`],
    ["answers", behaviourText(answer)],
  ]))
    print(line);
}

/** `500, 410, then 200, after 50 ms each, with the body {}`. */
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
  text: `answered ${answered}`,
  color: answered < 300 ? paint.green : paint.red,
});

const signatureCell = (message: Message) => ({
  text: `signature ${signatureText(message)}`,
  color: message.signature === "valid" ? paint.green : paint.red,
});

/** `valid`, `invalid`, `missing`, `unknown webhook`. */
const signatureText = ({ signature }: Message): string => signature.replaceAll("_", " ");

/** The event that a message is about; its beginning where it is something else. */
function eventOf({ body }: Message): string {
  try {
    const { event } = JSON.parse(body) as { event?: unknown };
    if (typeof event === "string") return event;
  } catch {}
  return clip(body, BODY_SHOWN);
}
