import type { CommandSpec } from "../command.ts";
import { json, options, server } from "../command-options.ts";
import { operationCommand } from "../operation/command.ts";
import { KINDS } from "../webhooks/fault-text.ts";

const ENDPOINT = ["<endpoint>", "an id, a URL or part of it, or 'last' for the newest endpoint"] as const;
const names = { endpoint: "id" };

export const WEBHOOK_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "webhooks",
    summary:
      "list and register webhook endpoints, make a subscriber fail, retry deliveries, draw the timeline",
    acts: {
      list: { does: "webhooks.list", flags: ["--organization <name>"] },
      create: {
        does: "webhooks.create",
        args: [["<url>", "your server's URL: https to any host, http to this machine"]],
        flags: [
          "--events <names>",
          "--secret <secret>",
          "--sender <name>",
          "--description <text>",
          "--header <header>",
          "--another",
        ],
        names: { header: "headers" },
      },
      update: {
        does: "webhooks.update",
        args: [ENDPOINT],
        flags: [
          "--to <url>",
          "--events <names>",
          "--secret <secret>",
          "--description <text>",
          "--header <header>",
        ],
        names: { ...names, to: "url", header: "headers" },
      },
      fail: {
        does: "webhooks.fail",
        args: [
          ENDPOINT,
          [
            "[answer]",
            `a status such as 503, or ${KINDS.join(", ")} (default: 500); several, comma-separated, for the next attempts in turn`,
          ],
        ],
        flags: ["--times <number>", "--rate <share>", "--pass-through"],
        names: { ...names, answer: ["kind", "status", "sequence"] },
      },
      work: { does: "webhooks.work", args: [ENDPOINT], names },
      enable: { does: "webhooks.enable", args: [ENDPOINT], names },
      disable: { does: "webhooks.disable", args: [ENDPOINT], names },
      delete: { does: "webhooks.delete", args: [ENDPOINT], names },
      test: { does: "webhooks.test", args: [ENDPOINT], names },
      retry: {
        does: ["webhooks.retryFailed", "webhooks.retry"],
        choose: ({ failed }) => (failed ? "webhooks.retryFailed" : "webhooks.retry"),
        args: [
          [
            "[delivery]",
            "a delivery's id, or 'last' for the latest that failed; with --failed, an endpoint's id or URL",
          ],
        ],
        flags: [
          ["--failed", "retry every failed delivery whose event did not arrive later"],
          ["--since <time>", "with --failed: how far back, or the time to start from (default: 1d)"],
        ],
        names: { delivery: "id" },
      },
      diagnose: {
        does: "webhooks.diagnose",
        args: [["[delivery]", "a delivery's id, or 'last' for the latest that failed"]],
        names: { delivery: "id" },
      },
      timeline: {
        does: "webhooks.timeline",
        args: [ENDPOINT],
        flags: [["--limit <number>=100", "how many of the latest attempts to print"]],
        names,
      },
    },
    json: "the control API's response",
    examples: [
      ["npx sandglass webhooks create http://127.0.0.1:3000/webhooks", "register your server"],
      ["npx sandglass webhooks update last --secret whsec_mine", "use your server's own secret"],
      ["npx sandglass webhooks fail last 503", "the subscriber is not called until it works again"],
      ["npx sandglass webhooks fail localhost:3000 timeout --times 2", "after that, its own responses count"],
      ["npx sandglass webhooks fail last 503,timeout,200", "the next three attempts in turn"],
      ["npx sandglass webhooks work last", ""],
      ["npx sandglass webhooks enable last", "after it was disabled"],
      ["npx sandglass webhooks retry --failed --since 2h", "after an outage"],
      [
        "npx sandglass webhooks diagnose last",
        "find out by experiment why your server refuses the signature",
      ],
      ["npx sandglass webhooks timeline last", "attempts, planned retries, failures in a row"],
    ],
    views: () => import("../webhooks/views.ts"),
  }),
  operationCommand({
    name: "outage",
    summary:
      "see what happens if your server is down for three hours and then works again; exits 1 if an event fails after that",
    acts: {
      does: "webhooks.outage",
      args: ["[duration]"],
      flags: [["--endpoint <endpoint>=last", ENDPOINT[1]], "--kind <kind>", "--story <name>"],
      names,
    },
    json: "the outage with its journal entries",
    examples: [
      ["npx sandglass outage 3h", "disable, fix, enable, retry, and see how your server responds"],
      ["npx sandglass outage 1d --kind timeout --endpoint localhost:3000", "it never responds"],
      ["npx sandglass outage 3h --story subscription", "a story of the endpoint's sender"],
    ],
    views: () => import("../webhooks/outage.ts"),
  }),
  operationCommand({
    name: "send",
    summary:
      "send another sender's event or story to its endpoints; exits 1 if a delivery fails or none is sent",
    acts: {
      does: ["senders.send", "senders.play"],
      choose: ({ story }) => (story === undefined ? "senders.send" : "senders.play"),
      args: [
        ["[type]", "the event's type, such as checkout.session.completed"],
        ["[data]", "a JSON object to merge over the type's example body"],
      ],
      flags: [
        ["--sender <name>", "the event's sender, if several senders have this type"],
        [
          "--story <name>",
          "send a story from the sender's file: its events, with the clock advanced between them",
        ],
        [
          "--known <name=value>",
          "values from your database, instead of the example's, such as customer=cus_123; may be repeated",
        ],
      ],
      names: { sender: "name" },
    },
    json: "the event with its deliveries",
    examples: [
      ["npx sandglass send checkout.session.completed", "the example in the sender's file"],
      [`npx sandglass send push '{"ref": "refs/heads/next"}' --sender github`, "with another field"],
      ["npx sandglass send invoice.paid --known customer=cus_123", "for one of your own customers"],
      ["npx sandglass send --story subscription", "from the trial to the cancellation, in a second"],
    ],
    views: () => import("../webhooks/views.ts"),
  }),
  operationCommand({
    name: "resend",
    summary: "send a delivered event again; exits 1 if that fails",
    acts: {
      does: "webhooks.resend",
      args: [
        [
          "<delivery or event>",
          "a delivery's id, an event's id, or 'last' for the latest successful delivery",
        ],
      ],
      flags: ["--endpoint <endpoint>"],
      names: { "delivery or event": "id", endpoint: "webhook_id" },
    },
    json: "the new deliveries",
    examples: [
      ["npx sandglass resend last", "to see what your server does with a duplicate"],
      ["npx sandglass resend evt_4fTzK0aQ9xLm2VbE --endpoint localhost:3000", "an event, to one endpoint"],
    ],
    views: () => import("../webhooks/views.ts"),
  }),
  operationCommand({
    name: "inbox",
    summary: "list the built-in subscribers, print what one received, change how it responds",
    acts: {
      does: ["inboxes.messages", "inboxes.list", "inboxes.behave"],
      choose: ({ name, answer, delay, body }) =>
        answer !== undefined || delay !== undefined || body !== undefined
          ? "inboxes.behave"
          : name === undefined
            ? "inboxes.list"
            : "inboxes.messages",
      args: [
        ["[name]", "an inbox with any name: its URL is <url>/_sandbox/inbox/<name>"],
        ["[message]", "a message's number, or 'last' for the newest: print its headers and body"],
      ],
      flags: [
        [
          "--answer <statuses>",
          "respond to the next messages with these statuses, comma-separated; the last one applies from then on",
        ],
        "--delay <duration>",
        "--body <text>",
        ["--limit <number>=20", "how many of the latest messages to print"],
      ],
      names: { answer: ["status", "sequence"] },
    },
    json: "the inboxes, or an inbox's messages and how it responds,",
    examples: [
      ["npx sandglass inbox", "which inboxes have received something"],
      ["npx sandglass inbox shop", "events, response statuses, signatures"],
      ["npx sandglass inbox shop last", "headers and body of the newest message"],
      ["npx sandglass inbox shop --answer 500,410,200 --delay 50ms", "500, then 410, then always 200"],
    ],
    views: () => import("../webhooks/inbox.ts"),
  }),
  operationCommand({
    name: "faults",
    summary: "make an area's API fail or respond slowly; list all active faults",
    acts: {
      does: ["faults.set", "faults.clear", "faults.get", "faults.list"],
      choose: ({ area, clear, ...fault }) =>
        clear
          ? "faults.clear"
          : Object.keys(fault).length > 0
            ? "faults.set"
            : area === undefined
              ? "faults.list"
              : "faults.get",
      args: [
        ["[area]", "platform, data or game"],
        ["[status]", "the status to respond with, 400 to 599"],
      ],
      flags: [
        "--latency <duration>",
        "--match <calls>",
        "--times <number>",
        "--rate <share>",
        ["--clear", "make the API work again"],
      ],
    },
    json: "the fault, or all of them,",
    examples: [
      ["npx sandglass faults", "faults of APIs, subscribers and providers, and how to clear each"],
      ['npx sandglass faults platform 503 --times 1 --match "POST /payment-links*"', ""],
      ["npx sandglass faults game --latency 2s", "slow, but working"],
      ["npx sandglass faults platform --clear", "it works again"],
    ],
    views: () => import("../webhooks/faults.ts"),
  }),
  {
    name: "events",
    summary: "print the journal: everything that happened, in order",
    options: options({
      "--follow": "keep printing new entries until Ctrl-C",
      "--types <names>": "only these types, comma-separated; delivery.* for all of one kind",
      "--after <seq>": "only entries after this number",
      "--limit <number>": "how many of the latest entries to print (default: 20)",
      ...server,
      ...json("print the entries as JSON; with --follow one object per line"),
    }),
    examples: [
      ["npx sandglass events --types 'delivery.*,webhook.disabled'", "the latest entries of these types"],
      ["npx sandglass events --follow", "until Ctrl-C"],
    ],
    load: () => import("../webhooks/events.ts"),
  },
  operationCommand({
    name: "requests",
    summary: "list the calls that the APIs received, or print one with a curl command",
    acts: {
      does: ["requests.list", "requests.get"],
      choose: ({ id }) => (id === undefined ? "requests.list" : "requests.get"),
      args: [["[call]", "a call's number, or 'last' for the newest: print bodies and a curl command"]],
      flags: [["--limit <number>=20", "how many of the latest calls to print"]],
      names: { call: "id" },
    },
    json: "the calls",
    examples: [
      ["npx sandglass requests", "method, path, status, duration"],
      ["npx sandglass requests last", "the request, the response, and how to repeat it"],
    ],
    views: () => import("../webhooks/requests.ts"),
  }),
  operationCommand({
    name: "mail",
    summary: "list the e-mails that the platform sent, or print one",
    acts: {
      does: "mail",
      args: [["[mail]", "an e-mail's id, or 'last' for the newest: print its text"]],
    },
    json: "the e-mails",
    examples: [
      ["npx sandglass mail", ""],
      ["npx sandglass mail last", "the full text of the newest e-mail"],
    ],
    views: () => import("../webhooks/mail.ts"),
  }),
];
