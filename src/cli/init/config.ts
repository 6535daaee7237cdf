import type { Handler } from "./handler.ts";
import type { Found } from "./sources.ts";

/** A comment in the configuration: the source of a value, or what to write there. */
const place = ({ at }: Found, guess: string): string => `// ${at ?? `a guess: ${guess}`}`;

/**
 * The configuration for a project's handler. It imports only types, so that it loads without an installed package. In a project
 * without TypeScript, it is JavaScript.
 */
export function configOf({ senders, start, database, isNode }: Handler): string {
  const { kind, state, variable, envFile } = database;
  const [first] = senders as [Handler["senders"][number]];
  const names = senders.map(({ name }) => quoted(name.value)).join(", ");
  const address = (kind === "postgres" ? `process.env.${variable.value} ?? ` : "") + quoted(state.value);
  const about = {
    postgres: place(variable, "your database, of which each run gets a copy"),
    sqlite: `${place(state, "your database")}${variable.at ? "" : ". Let your server open what DATABASE_URL says: it gets a copy"}`,
    other: "// not found: sqlite:<file>, postgres://…, a URL that returns JSON, or a command that prints it",
  };
  const server = [
    `start: ${quoted(start.value)}, ${place(start, "the command that starts your server")}`,
    `state: ${address}, ${about[kind]}`,
    ...(kind === "other" || variable.value === "DATABASE_URL"
      ? []
      : [`databaseEnv: [${quoted(variable.value)}],`]),
  ];
  const one = ({ name, url, secret }: Handler["senders"][number]) => [
    name.value === ""
      ? '// sender: "stripe", // whose webhooks it takes: stripe, github, … or a file: ./senders/acme.yaml'
      : `sender: ${quoted(name.value)},${name.at ? ` // ${name.at}` : ""}`,
    `url: ${quoted(url.value)}, ${place(url, "where your server takes webhooks")}`,
    `secret: ${quoted(secret.value)}, ${place(secret, "the variable that your server reads its secret from")}`,
  ];
  const several = senders.map(
    ({ name, url, secret }) =>
      `  ${quoted(name.value)}: { url: ${quoted(url.value)}, secret: ${quoted(secret.value)} }, ${place(url, "where your server takes its webhooks")}`,
  );
  return [
    ...(envFile ? ['import { existsSync } from "node:fs";'] : []),
    ...(isNode ? ['import type { SandglassConfig } from "sandglass";'] : []),
    ...(envFile || isNode ? [""] : []),
    ...(envFile ? [`if (existsSync("${envFile}")) process.loadEnvFile("${envFile}");`] : []),
    ...(senders.length > 1
      ? [
          `const handlers${isNode ? ": Record<string, { url: string; secret: string }>" : ""} = {`,
          ...several,
          "};",
          `// For another: SENDER=${senders[1]!.name.value} npx sandglass test`,
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

const quoted = (text: string): string =>
  /^[^'\\]*"[^'\\]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
