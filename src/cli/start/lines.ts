import type { Settings } from "../../config/config.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { instant } from "../../timeline/instant.ts";
import { type Cell, fields, handsome, pace, paint } from "../output.ts";
import { urlFlag } from "../server.ts";

interface Ready {
  /** The address for this machine. */
  url: string;
  /** The link of a shared sandbox. */
  link: string | null;
  sandbox: Sandbox;
  settings: Settings;
  /** The config file that was read. */
  file: string | undefined;
}

const SHARE_NOTE = "Anyone with this link controls the sandbox. It is printed only now.";

/** The lines of `start` once it serves: its addresses, its data, and what to try first. */
export function readyLines({ url, link: shareLink, sandbox, settings, file }: Ready): string[] {
  const status = sandbox.status();
  const { clock } = status;
  const alone = (port: number | undefined) => (port === undefined ? "" : `also alone on port ${port}`);
  const link = (text: string): Cell => ({ text, color: paint.cyan });
  const rows: [string, ...Cell[]][] = [
    ["platform", link(`${url}/platform`), alone(settings.ports.platform)],
    ["data", link(`${url}/data`), alone(settings.ports.data)],
    ["game", link(`${url}/game`), alone(settings.ports.game)],
    ["control", link(`${url}/_sandbox`)],
    ["clock", `${pace(clock)}, at ${instant(clock.now).slice(0, 19)} UTC`],
    ["seed", status.seed],
    ["write key", status.keys.write],
    ["reference", link(`${url}/platform/reference`)],
    ["", link(`${url}/data/reference`)],
    ["", link(`${url}/game/reference`)],
    ["", link(`${url}/_sandbox/reference`)],
  ];
  if (settings.from !== undefined && !sandbox.wentOn) rows.splice(6, 0, ["from", settings.from.path]);
  if (settings.dataDir !== undefined) rows.splice(5, 0, ["kept in", settings.dataDir]);
  if (file !== undefined) rows.push(["config", file]);
  if (settings.https) rows.push(["https", `with the certificate in ${settings.https.cert}`]);
  if (status.url !== url) rows.push(["links", `begin with ${status.url}`]);
  if (shareLink !== null) rows.push(["share", link(shareLink)], ["", SHARE_NOTE]);
  const head = `Sandglass ${status.version} is ready at ${url}`;
  const commands = firstCommands(sandbox, url);
  if (!handsome) return [head, ...fields(rows), ...commands.map((command) => `try: ${command}`)];
  return [
    "",
    `  ${paint.yellow("⧗")} ${paint.bold("Sandglass")} ${paint.dim(status.version)} is ready at ${paint.bold(paint.cyan(url))}`,
    "",
    ...fields(rows, "    "),
    "",
    `  ${paint.dim("Try, in another terminal:")}`,
    ...commands.map((command) => `    ${command}`),
    "",
    `  ${paint.dim("Ctrl-C stops it.")}`,
    "",
  ];
}

/** Two commands to paste: one shows webhooks as they arrive, and one causes some. */
function firstCommands(sandbox: Sandbox, url: string): string[] {
  const where = urlFlag(url);
  const link = sandbox.payments.showcaseLink();
  const [sender] = sandbox.settings.payments.webhooks.senders ?? [];
  if (sender)
    return [
      `npx sandglass webhooks create http://127.0.0.1:3000/webhooks --sender ${sender.name}${where}`,
      `npx sandglass send ${sender.events[0]}${where}`,
    ];
  return [
    `npx sandglass listen --forward-to http://127.0.0.1:3000/webhooks${where}`,
    `npx sandglass ${link === undefined ? "advance 1h" : `pay ${link}`}${where}`,
  ];
}
