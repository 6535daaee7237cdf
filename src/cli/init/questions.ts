import { createInterface } from "node:readline/promises";
import { fields, paint, print, printable } from "../output.ts";
import { isCopied, isServer, serverAt } from "./database-kinds.ts";
import type { Handler } from "./handler.ts";
import type { KnownValue } from "./known.ts";
import type { Found } from "./sources.ts";

/** @param from where the values come from; used as a heading */
export function printFound(from: string, { senders, start, database }: Handler): void {
  const shown: [string, Found][] = [
    ...senders.flatMap(({ name, url, secret, known = [] }): [string, Found][] => [
      ["sender", name.value === "" ? { value: "unknown" } : name],
      ["address", url],
      ["secret", secret],
      ...known.map((one): [string, Found] => ["known", shownKnown(one)]),
    ]),
    ["start", start],
    ["database", shownDatabase(database)],
  ];
  print(from);
  for (const line of fields(
    shown.map(([name, found]) => [name, found.value, { text: markOf(found), color: paint.dim }]),
    "  ",
  ))
    print(line);
  print("");
}

/** What confirmed a value, or a note that it is a guess. */
const markOf = ({ at, seen }: Found): string => seen ?? (at === undefined ? "a guess" : `a guess: ${at}`);

const shownKnown = ({ name, at, value, from }: KnownValue): Found => ({
  value: value === undefined ? `${name}, your own value` : `${name}=${value}`,
  at: from === undefined ? at : `${from}, for ${at}`,
});

function shownDatabase({ kind, name, state, variable }: Handler["database"]): Found {
  if (isServer(kind))
    return { ...variable, value: `$${variable.value}`, ...(state.seen && { seen: state.seen }) };
  return kind === "sqlite" ? state : { ...state, value: name ?? "none found" };
}

/**
 * Asks whether to start the server. Without a terminal, it neither asks nor starts anything.
 * @returns undefined if the user pressed Ctrl-C or Ctrl-D
 */
export async function confirmStart({
  start,
  database: { kind, name },
}: Handler): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const unlike = name ? ` (${name} cannot be copied, so it gets no valid event)` : "";
  const where = isCopied(kind) ? " on a copy of its database" : unlike;
  try {
    const answer = await terminal.question(
      `Start it${where}, to check these guesses: ${printable(start.value)}? [Y/n] `,
    );
    return !/^n/i.test(answer.trim());
  } catch (error) {
    if ((error as Error).name === "AbortError") return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

/**
 * Asks the user to confirm the values for the configuration; Enter accepts a value.
 * @returns undefined if the user pressed Ctrl-C or Ctrl-D
 */
export async function confirmHandler(found: Handler): Promise<Handler | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return found;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ask = async (question: string, known: Found): Promise<Found> => {
    const value = (await terminal.question(`${question} [${printable(known.value)}] `)).trim();
    return value === "" || value === known.value ? known : { value, seen: "as answered" };
  };
  try {
    const [first, ...others] = found.senders as [Handler["senders"][number]];
    const askUnseen = async (question: string, known: Found) => (known.seen ? known : ask(question, known));
    const url = await askUnseen("Where does your server receive these webhooks?", first.url);
    const start = await askUnseen("Which command starts it?", found.start);
    const known = shownDatabase(found.database);
    const answer = await askUnseen("Where is its state: sqlite:<file>, $DATABASE_URL, a JSON URL?", known);
    return {
      ...{ ...found, start, senders: [{ ...first, url }, ...others] },
      database: answer === known ? found.database : databaseIn(answer, found.database),
    };
  } catch (error) {
    if ((error as Error).name === "AbortError") return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

function databaseIn(answered: Found, { parts: _, ...found }: Handler["database"]): Handler["database"] {
  const { value } = answered;
  const [, name] = /^\$(\w+)$/.exec(value) ?? [];
  if (name !== undefined)
    return {
      ...found,
      kind: isServer(found.kind) ? found.kind : "postgres",
      variable: { ...answered, value: name },
    };
  if (value.startsWith("sqlite:")) return { ...found, kind: "sqlite", state: answered };
  return { ...found, kind: serverAt(value) ?? "url", state: answered };
}
