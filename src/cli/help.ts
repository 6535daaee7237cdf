import { wrap } from "../timeline/text.ts";
import { inRoom } from "./output.ts";

/** `sandglass --help`: the most frequently used commands first, one line each, then the others by purpose. */

/** Commands in the order in which a newcomer needs them. */
const FIRST: Record<string, string> = {
  init: "find your handler, and write a configuration and a CI job for it",
  test: "test your handler: saved findings, check and explore, with one report",
  check: "send your handler forged, repeated, reordered and malformed events",
  explore: "find the sequence of deliveries that breaks your handler; try --demo",
  start: "start a sandbox (the default command); --sender stripe for Stripe's webhooks",
  webhooks: "register endpoints, make a subscriber fail, retry, draw the timeline",
  send: "send a sender's event or story",
  pay: "pay a link, a session or your own order; its webhooks are sent",
  advance: "advance the clock and run everything that falls due",
  listen: "send webhooks to your own server, and print each delivery",
  run: "run scenarios, shipped or your own",
  exec: "run a command, such as your tests, with its own sandbox",
};

const OTHERS: Record<string, string> = {
  Look: "status, events, requests, mail, links, sessions, payment, players, scores, channels, rules, cache",
  Break: "outage, faults, inbox, providers, resend, expire",
  Change: "clock, reset, undo, snapshot, worlds, holdings, message, export",
  Automate: "env, token, openapi, record, capture, mcp",
  "Set up": "help",
};

const WIDTH = Math.max(...[...Object.keys(FIRST), ...Object.keys(OTHERS)].map((name) => name.length));

export const NAMED = [...Object.keys(FIRST), ...Object.values(OTHERS).flatMap((names) => names.split(", "))];

/** The program's help, in lines of at most 80 characters. @param columns the terminal's width */
export function programHelp(columns = 80): string {
  const room = Math.min(columns, 80);
  const entries = (texts: Record<string, string>) =>
    Object.entries(texts)
      .map(([name, text]) => {
        const [first, ...more] = wrap(text, room - WIDTH - 4);
        return [
          `  ${name.padEnd(WIDTH)}  ${first}`,
          ...more.map((line) => " ".repeat(WIDTH + 4) + line),
        ].join("\n");
      })
      .join("\n");
  return `Usage: sandglass [command] [options]

${inRoom("Get your webhook handler right on your own machine: signed webhooks, retried and abandoned as on a real platform, on a clock that you can fast-forward.", room)}

First:
${entries(FIRST)}

Then:
${entries(OTHERS)}

Options:
  -V, --version  print the version
  -h, --help     show help; after a command, that command's help

For one command's options: npx sandglass test --help
${inRoom("sandglass without a command starts the sandbox: npx sandglass --port 4500", room)}
${inRoom("Exit codes: 0 success or Ctrl-C; 1 something failed; 2 wrong usage, or no sandbox is running; 3 explore cannot tell.", room)}
`;
}
