import type { CommandSpec } from "../command.ts";
import { json, options, startingWorld } from "../command-options.ts";
import { operationCommand } from "../operation/command.ts";

export const TOOL_COMMANDS: CommandSpec[] = [
  {
    name: "openapi",
    summary: "print an OpenAPI 3.1 document; needs no running sandbox",
    args: [["[name]", "platform (default), data, game or control"]],
    options: options({
      "--out <file>": "write it to a file",
      "--url <url>": "the sandbox whose address to use (default: as for pay)",
    }),
    examples: [["npx sandglass openapi platform --out platform.json", "to generate a client from"]],
    load: () => import("../tools/openapi.ts"),
  },
  {
    name: "record",
    summary: "record responses of real chain-data providers for replay",
    options: options({
      "--explorer-url <url>": "an explorer's API, with {chain} for the chain id",
      "--indexer-url <url>": "an indexer's API",
      "--data-base-url <url>": "an API that serves both, under /explorer and /insights",
      "--header <header>": {
        summary: "sent with each request, never recorded; may be repeated",
        repeatable: true,
      },
      "--symbol <symbols>": { summary: "tokens to look up, comma-separated", repeatable: true },
      "--address <addresses>": {
        summary: "addresses whose tokens to list, comma-separated",
        repeatable: true,
      },
      "--chain <ids>": { summary: "chains, comma-separated (default: the built-in ones)", repeatable: true },
      "--timeout <duration>": "how long a request may take (default: 10s)",
      "--out <folder>": "folder for the recordings (default: recordings)",
      ...json("print the requests and files as JSON"),
    }),
    examples: [
      [
        "npx sandglass record --indexer-url https://indexer.example --header 'x-api-key: …' --symbol USDC --chain 1,8453",
        "one symbol on two chains",
      ],
      [
        "npx sandglass record --explorer-url https://{chain}.explorer.example/api/v2 --address 0x… --chain 8453",
        "",
      ],
    ],
    load: () => import("../tools/record.ts"),
  },
  operationCommand({
    name: "export",
    summary: "write the current world as a fixtures folder, to start others from",
    acts: {
      does: "export",
      args: [["<folder>", "where to write the files"]],
      flags: [
        ["--yaml", "write YAML instead of JSON"],
        ["--force", "replace the fixtures in the folder"],
      ],
    },
    json: "the folder, the files and the number of rows",
    examples: [
      ["npx sandglass export fixtures", "then: npx sandglass --from fixtures"],
      ["npx sandglass export fixtures --yaml --force", ""],
    ],
    views: () => import("../tools/export.ts"),
  }),
  {
    name: "init",
    summary:
      "set up sandglass test and a CI job for this project's webhook handler, or write a handler; overwrites only its own guesses",
    options: options({
      "--yes": "do not ask: use what was found, and start your server to verify it",
      "--no-start": "only read the sources, so everything found is a guess",
      "--dry-run": "list the files without writing any",
      "--port <port>": "your server's port (default: the port in the code, or 3000)",
      "--platform":
        "write a handler for the platform's webhooks, even if the project has one for another sender",
      "--skill": "write a skill for coding agents instead: .agents/skills/webhooks/SKILL.md",
      "--sender <name>":
        "write senders/<name>.yaml instead: a template that explains every field, or a copy of a shipped sender",
      "--from <document>": "with --sender: an OpenAPI 3.1 document that describes its webhooks",
    }),
    examples: [
      ["npx sandglass init", "in your project: JavaScript, TypeScript, Python, Ruby, Go or PHP"],
      ["npx sandglass init --sender acme", "to send webhooks as your own platform does"],
      ["npx sandglass init --sender acme --from openapi.yaml", "as its OpenAPI document describes them"],
    ],
    load: () => import("../init/command.ts"),
  },
  {
    name: "mcp",
    summary: "offer the sandbox to a coding agent as tools, over standard input and output",
    options: options({
      "--url <url>": "the sandbox to use (default: as for pay, and one is started if none is running there)",
      ...startingWorld,
      "--config <file>": "configuration file (default: as for start)",
    }),
    examples: [["npx sandglass mcp --paused", "as a server in an agent's configuration: see docs/agents.md"]],
    load: () => import("../tools/mcp.ts"),
  },
];
