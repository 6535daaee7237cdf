import { type Database, variablesOf } from "./database.ts";
import { addressOf, isServer, type ServerKind } from "./database-kinds.ts";
import type { Handler } from "./handler.ts";
import { type KnownValue, knownOf } from "./known.ts";
import type { Found } from "./sources.ts";

/**
 * A comment for a value in the configuration: what confirmed the value or, if it is a guess, where the guess comes from
 * or what to write instead.
 */
const place = ({ at, seen }: Found, what: string): string => `// ${seen ?? `a guess: ${at ?? what}`}`;

/**
 * The configuration for a project's handler. It imports only types, so it loads even if the package is not installed. A
 * project without TypeScript gets a JavaScript file.
 */
export function configOf({ senders, start, database, isNode }: Handler): string {
  const { envFile } = database;
  const [first] = senders as [Handler["senders"][number]];
  const names = senders.map(({ name }) => quoted(name.value)).join(", ");
  const server = [
    `start: ${quoted(start.value)}, ${place(start, "the command that starts your server")}`,
    ...stateLines(database),
  ];
  const one = ({ name, url, secret, known = [] }: Handler["senders"][number]) => [
    name.value === ""
      ? '// sender: "stripe", // whose webhooks it receives: stripe, github, … or a file: ./senders/acme.yaml'
      : `sender: ${quoted(name.value)}, ${place(name, "whose webhooks it receives")}`,
    `url: ${quoted(url.value)}, ${place(url, "where your server receives webhooks")}`,
    `secret: ${quoted(secret.value)}, ${place(secret, "the variable that your server reads its secret from")}`,
    ...knownLines(known),
  ];
  const several = senders.map(
    ({ name, url, secret, known = [] }) =>
      `  ${quoted(name.value)}: { url: ${quoted(url.value)}, secret: ${quoted(secret.value)}${knownField(known)} }, ${bothPlaces(url, secret)}`,
  );
  const parts = Object.entries(database.parts ?? {});
  return [
    ...(envFile ? ['import { existsSync } from "node:fs";'] : []),
    ...(isNode ? ['import type { SandglassConfig } from "sandglass";'] : []),
    ...(envFile || isNode ? [""] : []),
    ...(envFile ? [`if (existsSync("${envFile}")) process.loadEnvFile("${envFile}");`] : []),
    ...(parts.length > 0
      ? [
          `const { ${parts.map(([, { name, fallback }]) => `${name} = ${quoted(fallback)}`).join(", ")} } = process.env;`,
        ]
      : []),
    ...(senders.length > 1
      ? [
          `const handlers${isNode ? ": Record<string, { url: string; secret: string; known?: Record<string, unknown> }>" : ""} = {`,
          ...several,
          "};",
          `// For another sender: SENDER=${senders[1]!.name.value} npx sandglass test`,
          `const { SENDER = ${quoted(first.name.value)} } = process.env;`,
        ]
      : []),
    "// All settings: node_modules/sandglass/docs/explore-reference.md",
    ...(isNode ? [] : ['/** @type {import("sandglass").SandglassConfig} */']),
    "export default {",
    ...(first.name.value === "" ? [] : [`  senders: [${names}],`]),
    "  subject: {",
    ...(senders.length > 1 ? ["sender: SENDER,", "...handlers[SENDER],"] : one(first)).map(
      (line) => `    ${line}`,
    ),
    ...server.map((line) => `    ${line}`),
    "  },",
    isNode ? "} satisfies SandglassConfig;" : "};",
    "",
  ].join("\n");
}

/**
 * The `known` lines: the sender's field names with values from the database, and the names that the code reads but no
 * row matches.
 */
function knownLines(known: readonly KnownValue[]): string[] {
  const fitting = known.filter(({ value }) => value !== undefined);
  const others = known.filter(({ value }) => value === undefined);
  const sources = fitting.map(({ name, at, from }) => `${name} (${at})${from ? ` from ${from}` : ""}`);
  const all = [...fitting, ...others.map((one) => ({ ...one, value: "" }))];
  const places = others.map(({ name, at }) => `${name} (${at})`).join(", ");
  // An object with the same name twice would lose the first one.
  const [lead, also] = fitting.length > 0 ? ["In place of that line: ", " also"] : ["", ""];
  return [
    ...(fitting.length > 0 ? [`known: ${written(knownOf(fitting))}, // a guess: ${sources.join(", ")}`] : []),
    ...(others.length > 0
      ? [
          `// ${lead}known: ${written(knownOf(all))}, // your code${also} reads ${places}: use your own values`,
        ]
      : []),
  ];
}

const knownField = (known: readonly KnownValue[]): string =>
  known.some(({ value }) => value !== undefined) ? `, known: ${written(knownOf(known))}` : "";

/** An object as a person would write it: names are quoted only if necessary. */
const written = (value: unknown): string =>
  typeof value === "object"
    ? `{ ${Object.entries(value!)
        .map(([name, one]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)}: ${written(one)}`)
        .join(", ")} }`
    : quoted(String(value));

/** The sources of the URL and the secret on one line, without duplicates. */
const bothPlaces = (url: Found, secret: Found): string => {
  const both = [
    place(url, "where your server receives its webhooks"),
    place(secret, "the variable with its secret"),
  ];
  return url.seen && secret.seen
    ? both.join(", ").replace(", //", ",")
    : both.find((one) => one.includes("a guess"))!;
};

function stateLines(database: Database): string[] {
  const { kind, name, state, gate, variable, parts } = database;
  const variables = variablesOf(database);
  const databaseEnv =
    variables.length === 1 && variables[0] === "DATABASE_URL"
      ? []
      : [`databaseEnv: [${variables.map(quoted).join(", ")}],`];
  if (isServer(kind)) {
    const address = parts
      ? writtenAddress(kind, parts)
      : `process.env.${variable.value} ?? ${quoted(state.value)}`;
    const from = state.seen ? state : { ...variable, at: variable.at ?? state.at };
    return [`state: ${address}, ${place(from, "your database; each run gets a copy")}`, ...databaseEnv];
  }
  if (kind === "sqlite") {
    // On Linux, a server opens its database copy even under the original file's path.
    const isLed = process.platform === "linux" || variable.at !== undefined || state.seen !== undefined;
    const hint = isLed ? "" : ". Have your server open the file in DATABASE_URL, which is a copy";
    return [`state: ${quoted(state.value)}, ${place(state, "your database")}${hint}`, ...databaseEnv];
  }
  if (gate)
    return [
      `state: ${quoted(state.value)}, ${place(state, "")}, the database of \`supabase start\``,
      "inPlace: true, // a copy would have no API in front of it: this database is restored after each schedule",
      `gate: [${quoted(gate.value)}], ${place(gate, "the variable with the address of its API")}`,
    ];
  if (kind === "url") return [`state: ${quoted(state.value)}, ${place(state, "the state of your server")}`];
  const found =
    name === undefined
      ? "no database was found"
      : `your database is ${name}${state.at ? ` (${state.at})` : ""}`;
  return [
    `// state: "", // ${found}: write sqlite:<file>, postgres://…, mysql://…, a URL that returns JSON, or a command that prints it`,
  ];
}

/** The URL of a database whose connection settings the server reads as separate variables. */
const writtenAddress = (kind: ServerKind, parts: NonNullable<Database["parts"]>): string =>
  `\`${addressOf(kind, (name, usual) =>
    parts[name] ? `\${encodeURIComponent(${parts[name].name})}` : usual,
  )}\``;

const quoted = (text: string): string =>
  /^[^'\\]*"[^'\\]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
