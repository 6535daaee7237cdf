import type { Settings } from "../../config/config.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { secretVariable } from "../../senders/secret-variable.ts";
import { instant } from "../../timeline/instant.ts";
import { count } from "../../timeline/text.ts";
import { type Cell, fields, handsome, pace, paint } from "../output.ts";
import { urlFlag } from "../server.ts";

interface Ready {
  /** The URL on this machine. */
  url: string;
  /** The link to a shared sandbox; null if it is not shared. */
  link: string | null;
  sandbox: Sandbox;
  settings: Settings;
  /** The configuration file that was read. */
  file: string | undefined;
}

type Row = [string, ...Cell[]];

const SHARE_NOTE = "Anyone with this link controls the sandbox. It is printed only once.";

const link = (text: string): Cell => ({ text, color: paint.cyan });

/** The lines that `start` prints once the sandbox serves: the URL, the settings, and what to try first. */
export function readyLines({ url, link: shareLink, sandbox, settings, file }: Ready): string[] {
  const status = sandbox.status();
  const { clock } = status;
  const isOfSenders = status.organization === null;
  const areas = isOfSenders ? [] : (["platform", "data", "game"] as const);
  const alone = (port: number | undefined) => (port === undefined ? "" : `also on its own port, ${port}`);
  const rows: Row[] = [
    ...(isOfSenders ? senderRows(sandbox, url, alone(settings.ports.api)) : []),
    ...areas.map((area): Row => [area, link(`${url}/${area}`), alone(settings.ports[area])]),
    ["control", link(`${url}/_sandbox`)],
    ["clock", `${pace(clock)}, at ${instant(clock.now).slice(0, 19)} UTC`],
  ];
  if (settings.dataDir !== undefined) rows.push(["stored in", settings.dataDir]);
  if (!isOfSenders) rows.push(["seed", status.seed]);
  if (settings.from !== undefined && !sandbox.wentOn) rows.push(["from", settings.from.path]);
  if (status.keys !== null) rows.push(["write key", status.keys.write]);
  for (const [index, name] of [...areas, "_sandbox"].entries())
    rows.push([index === 0 ? "reference" : "", link(`${url}/${name}/reference`)]);
  if (file !== undefined) rows.push(["config", file]);
  if (settings.https) rows.push(["https", `with the certificate in ${settings.https.cert}`]);
  if (status.url !== url) rows.push(["links", `start with ${status.url}`]);
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

/**
 * Rows for each sender, with its events and its API's URL.
 * @param alone a note about the first API's separate port; may be empty
 */
function senderRows({ settings }: Sandbox, url: string, alone: string): Row[] {
  const senders = settings.webhooks.senders ?? [];
  const first = senders.find(({ facts }) => facts.api);
  return senders.flatMap((sender): Row[] => {
    const { name, events, facts } = sender;
    const api: Row = ["its API", link(`${url}/senders/${name}`), sender === first ? alone : ""];
    return [
      ["sender", `${name}, ${count(events.length, "event")}`],
      [
        "secret",
        `your server's ${secretVariable(name)}: pass it with --secret, or set it to the one printed`,
      ],
      ...(facts.api ? [api] : []),
    ];
  });
}

/** Two commands to paste: the first shows webhooks as they arrive, and the second triggers one. */
function firstCommands(sandbox: Sandbox, url: string): string[] {
  const where = urlFlag(url);
  const [sender] = sandbox.settings.webhooks.senders ?? [];
  const { url: target = "http://127.0.0.1:3000/webhooks" } = sandbox.settings.subject;
  const address = typeof target === "string" ? target : Object.values(target)[0];
  if (sender)
    return [
      `npx sandglass webhooks create ${address} --sender ${sender.name}${where}`,
      `npx sandglass send ${sender.events[0]}${where}`,
      sandbox.settings.subject.url === undefined ? "npx sandglass init" : "npx sandglass test",
    ];
  const shop = sandbox.status().organization === null ? undefined : sandbox.payments.showcaseLink();
  return [
    `npx sandglass listen --forward-to http://127.0.0.1:3000/webhooks${where}`,
    `npx sandglass ${shop === undefined ? "advance 1h" : `pay ${shop}`}${where}`,
  ];
}
