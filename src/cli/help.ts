import { wrap } from "../timeline/text.ts";
import { inRoom } from "./output.ts";

/** `sandglass --help`: the most used commands first, one line each, and the others by purpose. */

/** Commands in the order in which a newcomer needs them. */
const FIRST: Record<string, string> = {
  init: "find your handler, and write a configuration and a CI job for it",
  test: "test your handler: saved findings, check and explore, with one report",
  check: "try your handler with what happens to handlers",
  explore: "find the sequence of deliveries that breaks your handler; try --demo",
  start: "start a sandbox (the default command); --sender stripe for Stripe's webhooks",
  webhooks: "register endpoints, make a subscriber fail, retry, draw the timeline",
  send: "send an event or a story of a sender",
  pay: "pay a link, a session or an order of yours; its webhooks are sent",
  advance: "move the clock, and do everything that falls due",
  listen: "send webhooks to your own server, and print each delivery",
  run: "run scenarios, shipped ones or yours",
  exec: "run a command, such as your tests, with a sandbox of its own",
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

/** The help of the program, in lines of at most 80 characters. @param columns the width of the terminal */
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

${inRoom("Get your webhook handler right on your own machine: signed webhooks, retried and given up as on a real platform, on a clock that you can fast-forward.", room)}

First:
${entries(FIRST)}

Then:
${entries(OTHERS)}

Options:
  -V, --version  print the version
  -h, --help     show help; after a command, its own

A command explains itself: npx sandglass test --help
${inRoom("Without a command it starts the sandbox: npx sandglass --port 4500", room)}
${inRoom("Exit codes: 0 fine, also after Ctrl-C; 1 something failed; 2 used wrongly, or no sandbox runs; 3 explore cannot tell.", room)}
`;
}
