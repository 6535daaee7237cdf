import type { ResultOf } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { plainLines } from "../story/text.ts";
import type { Invocation } from "./command.ts";
import { columns, fields, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Mail = ResultOf<"mail">["data"][number];

/** `sandglass mail`: the e-mails that the platform sent, or the text of one. */
export async function run({ args: [name], options }: Invocation<ServerOptions>): Promise<undefined> {
  const sandbox = await chosenSandbox(options);
  const list = await sandbox.run("mail");
  if (name === undefined) {
    if (options.json) printJson(list);
    else for (const line of listLines(list.data)) print(line);
    return undefined;
  }
  const mail = findMail(list.data, name);
  if (options.json) printJson(mail);
  else for (const line of mailLines(mail)) print(line);
  return undefined;
}

function findMail(list: readonly Mail[], name: string): Mail {
  const found = name === "last" ? list.at(-1) : list.find(({ id }) => id === name);
  if (found) return found;
  if (list.length === 0)
    throw new SandboxError(
      "not_found",
      "No e-mail was sent yet.",
      "One is sent when an endpoint is disabled: npx sandglass advance --until webhook.disabled",
    );
  const meant = closest(
    name,
    list.map(({ id }) => id),
  );
  throw new SandboxError(
    "not_found",
    `There is no e-mail ${name}.`,
    meant ? `Did you mean: npx sandglass mail ${meant}` : "Print them all: npx sandglass mail",
  );
}

function listLines(list: readonly Mail[]): string[] {
  if (list.length === 0) return ["No e-mails. One is sent when an endpoint is disabled."];
  return columns(
    list.map(({ id, to, subject, created_at: at }) => [
      { text: instant(at), color: paint.dim },
      id,
      `to ${to}`,
      subject,
    ]),
  );
}

const mailLines = ({ to, subject, text, created_at: at }: Mail): string[] => [
  ...fields([
    ["to", to],
    ["sent", `${instant(at)} UTC`],
    ["subject", subject],
  ]),
  "",
  ...plainLines(text),
];
