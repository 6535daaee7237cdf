import { EVENT_TYPES } from "../../payments/webhooks/event-types.ts";
import type { CommandSpec } from "../command.ts";
import { json, organization, server } from "../command-options.ts";

const ANSWERS = [
  ..."503 500 429 404".split(" "),
  ..."timeout refused reset dns tls redirect slow_body truncated garbage interrupted".split(" "),
];

/** Commands about webhook endpoints, what fails, and what happened. */
export const WEBHOOK_COMMANDS: CommandSpec[] = [
  {
    name: "webhooks",
    summary:
      "list and register webhook endpoints, make a subscriber fail, retry deliveries, draw the timeline",
    actions: [
      "list",
      "create <url>",
      "fail <endpoint>",
      "work <endpoint>",
      "enable <endpoint>",
      "disable <endpoint>",
      "delete <endpoint>",
      "test <endpoint>",
      "retry <delivery>",
      "timeline <endpoint>",
    ],
    args: [
      ["[action]", "list (default), create, fail, work, enable, disable, delete, test, retry or timeline"],
      [
        "[endpoint]",
        "an id, a URL, a part of one URL, or 'last' for the newest endpoint; retry: a delivery's id, or 'last'",
      ],
      [
        "[answer]",
        "fail: a status such as 503, or timeout, refused, reset, dns, tls, redirect, slow_body, truncated, garbage, interrupted (default: 500); several, comma-separated, for the next attempts in turn",
        ANSWERS,
      ],
    ],
    options: [
      { flags: "--times <number>", summary: "fail: only the next attempts, this many" },
      { flags: "--rate <share>", summary: "fail: this share of the attempts, 0 to 1, drawn from the seed" },
      { flags: "--pass-through", summary: "fail: also send the request to your server" },
      {
        flags: "--events <names>",
        summary: "create: only these, comma-separated (default: all)",
        choices: EVENT_TYPES,
      },
      {
        flags: "--secret <secret>",
        summary: "create: the signing secret (default: the last secret of that URL)",
      },
      {
        flags: "--sender <name>",
        summary: "create: who sends to it, such as stripe (default: the platform)",
      },
      { flags: "--description <text>", summary: "create: what the endpoint is for" },
      { flags: "--another", summary: "create: one more, even where there is one like it" },
      {
        flags: "--failed",
        summary: "retry: every failed delivery whose event did not arrive later; an endpoint may be named",
      },
      { flags: "--since <time>", summary: "retry --failed: how far back, or since when (default: 1d)" },
      { flags: "--limit <number>", summary: "timeline: only the latest attempts, this many (default: 100)" },
      { ...organization, summary: `list: ${organization.summary}` },
      server,
      json("print what the control API returns as JSON"),
    ],
    examples: [
      ["npx sandglass webhooks create http://127.0.0.1:3000/webhooks", "register your server"],
      ["npx sandglass webhooks fail last 503", "the subscriber is not called until it works again"],
      ["npx sandglass webhooks fail localhost:3000 timeout --times 2", "then its own answers count"],
      ["npx sandglass webhooks fail last 503,timeout,200", "the next three attempts in turn"],
      ["npx sandglass webhooks work last", ""],
      ["npx sandglass webhooks enable last", "after it was disabled"],
      ["npx sandglass webhooks retry --failed --since 2h", "after an outage"],
      ["npx sandglass webhooks timeline last", "attempts, planned retries, failures in a row"],
    ],
    load: () => import("../webhooks.ts"),
  },
  {
    name: "send",
    summary: "send an event of another sender to its endpoints; exits 1 if a delivery fails",
    args: [
      ["<type>", "the event's type, such as checkout.session.completed"],
      ["[data]", "a JSON object that is merged over the example body of the type"],
    ],
    options: [
      { flags: "--sender <name>", summary: "whose event it is, where several senders have the type" },
      server,
      json("print the event with its deliveries as JSON"),
    ],
    examples: [
      ["npx sandglass send checkout.session.completed", "the example of the sender's file"],
      [`npx sandglass send push '{"ref": "refs/heads/next"}' --sender github`, "with another field"],
    ],
    load: () => import("../send.ts"),
  },
  {
    name: "resend",
    summary: "send a delivered event once more; exits 1 if that fails",
    args: [
      ["<delivery or event>", "a delivery's id, an event's id, or 'last' for the latest successful delivery"],
    ],
    options: [
      { flags: "--endpoint <endpoint>", summary: "resend an event to this endpoint alone" },
      server,
      json("print the new deliveries as JSON"),
    ],
    examples: [
      ["npx sandglass resend last", "to see what your server does with a duplicate"],
      ["npx sandglass resend evt_4fTzK0aQ9xLm2VbE --endpoint localhost:3000", "an event, to one endpoint"],
    ],
    load: () => import("../resend.ts"),
  },
  {
    name: "inbox",
    summary: "list the built-in subscribers, print what one received, change how it answers",
    args: [
      ["[name]", "an inbox, of any name: <url>/_sandbox/inbox/<name> is its address"],
      ["[message]", "a message's number, or 'last' for the newest: print its headers and body"],
    ],
    options: [
      {
        flags: "--answer <statuses>",
        summary: "answer the next messages with these statuses, comma-separated; the last one stays",
      },
      { flags: "--delay <duration>", summary: "answer after this much real time, up to 60s" },
      { flags: "--body <text>", summary: "answer with this body" },
      { flags: "--limit <number>", summary: "the latest messages, this many (default: 20)" },
      server,
      json("print the inboxes, or the messages and how the inbox answers, as JSON"),
    ],
    examples: [
      ["npx sandglass inbox", "which inboxes received something"],
      ["npx sandglass inbox shop", "events, statuses answered, signatures"],
      ["npx sandglass inbox shop last", "headers and body of the newest message"],
      ["npx sandglass inbox shop --answer 500,410,200 --delay 50ms", "500, then 410, then always 200"],
    ],
    load: () => import("../inbox.ts"),
  },
  {
    name: "faults",
    summary: "make an area's API fail or respond slowly; list all faults in force",
    args: [
      ["[area]", "platform, data or game", ["platform", "data", "game"]],
      ["[status]", "the status to answer with, 400 to 599", ["503", "500", "429", "404"]],
    ],
    options: [
      { flags: "--latency <duration>", summary: "answer after this much real time, up to 60s" },
      {
        flags: "--match <calls>",
        summary: "only these calls: a method, a path with * for any text, or both",
      },
      { flags: "--times <number>", summary: "only the next calls, this many" },
      { flags: "--rate <share>", summary: "this share of the calls, 0 to 1, drawn from the seed" },
      { flags: "--clear", summary: "let the API work again" },
      server,
      json("print the fault, or all of them, as JSON"),
    ],
    examples: [
      ["npx sandglass faults", "of APIs, subscribers and providers, and how to end each"],
      ['npx sandglass faults platform 503 --times 1 --match "POST /payment-links*"', ""],
      ["npx sandglass faults game --latency 2s", "slow, but working"],
      ["npx sandglass faults platform --clear", "it works again"],
    ],
    load: () => import("../faults.ts"),
  },
  {
    name: "events",
    summary: "print the journal: everything that happened, in order",
    options: [
      { flags: "--follow", summary: "print new entries as they come, until Ctrl-C" },
      { flags: "--types <names>", summary: "only these, comma-separated; delivery.* for all of a kind" },
      { flags: "--after <seq>", summary: "only what came after the entry of this number" },
      { flags: "--limit <number>", summary: "the latest entries, this many (default: 20)" },
      server,
      json("print the entries as JSON; with --follow one object per line"),
    ],
    examples: [
      ["npx sandglass events --types 'delivery.*,webhook.disabled'", "the latest of some kinds"],
      ["npx sandglass events --follow", "until Ctrl-C"],
    ],
    load: () => import("../events.ts"),
  },
  {
    name: "requests",
    summary: "list the calls that the APIs received, or print one with a curl line",
    args: [["[call]", "a call's number, or 'last' for the newest: print bodies and a curl line"]],
    options: [
      { flags: "--limit <number>", summary: "the latest calls, this many, up to 500 (default: 20)" },
      server,
      json("print the calls as JSON"),
    ],
    examples: [
      ["npx sandglass requests", "method, path, status, duration"],
      ["npx sandglass requests last", "what was sent and answered, and how to repeat it"],
    ],
    load: () => import("../requests.ts"),
  },
  {
    name: "mail",
    summary: "list the e-mails that the platform sent, or print one",
    args: [["[mail]", "an e-mail's id, or 'last' for the newest: print its text"]],
    options: [server, json("print the e-mails as JSON")],
    examples: [
      ["npx sandglass mail", ""],
      ["npx sandglass mail last", "the whole text of the newest one"],
    ],
    load: () => import("../mail.ts"),
  },
];
