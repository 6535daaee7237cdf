/** `sandglass --help`: what most people use first in a line each, and the others by what they are for. */

/** In the order in which a newcomer meets them. */
const FIRST: Record<string, string> = {
  start: "start a sandbox (the default command)",
  pay: "pay a link, a session or an order of yours; its webhooks are sent",
  advance: "move the clock, and do everything that falls due",
  webhooks: "register endpoints, make a subscriber fail, retry, draw the timeline",
  listen: "send webhooks to your own server, and print each delivery",
  check: "try your handler with 22 things that happen to handlers",
  explore: "find the sequence of deliveries that breaks your handler; try --demo",
  run: "run scenarios, shipped ones or yours",
  exec: "run a command, such as your tests, with a sandbox of its own",
  init: "write a webhook handler for your project, with its tests",
};

const OTHERS: Record<string, string> = {
  Look: "status events requests mail links sessions payment players scores channels rules cache",
  Break: "faults inbox providers resend send expire",
  Change: "clock reset snapshot worlds holdings message export",
  Automate: "env token openapi record mcp completion",
  "Set up": "doctor certificate help",
};

const WIDTH = Math.max(...[...Object.keys(FIRST), ...Object.keys(OTHERS)].map((name) => name.length));

const line = (name: string, text: string): string => `  ${name.padEnd(WIDTH)}  ${text}`;

/** The names of all commands in the help. */
export const NAMED = [...Object.keys(FIRST), ...Object.values(OTHERS).flatMap((names) => names.split(" "))];

export const PROGRAM_HELP = `Usage: sandglass [command] [options]

Get your webhook handler right on your own machine: signed webhooks, retried
and given up as on a real platform, on a clock that you can fast-forward.

First:
${Object.entries(FIRST)
  .map(([name, text]) => line(name, text))
  .join("\n")}

Then:
${Object.entries(OTHERS)
  .map(([topic, names]) => line(topic, wrapped(names.split(" "))))
  .join("\n")}

Options:
  -V, --version  print the version
  -h, --help     show help; after a command, its own

A command explains itself: npx sandglass pay --help
Without a command it starts the sandbox: npx sandglass --port 4500
Exit codes: 0 fine, also after Ctrl-C; 1 something failed; 2 used wrongly, or no
sandbox runs.
`;

/** Names in lines of at most 80 characters. */
function wrapped(names: readonly string[]): string {
  const lines = [""];
  for (const name of names) {
    const longer = `${lines.at(-1)}${lines.at(-1) === "" ? "" : ", "}${name}`;
    if (longer.length + WIDTH + 4 < 79) lines[lines.length - 1] = longer;
    else lines.push(name);
  }
  return lines.join(`,\n${" ".repeat(WIDTH + 4)}`);
}
