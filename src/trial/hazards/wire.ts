import { reformatted } from "../check/craft.ts";
import { mustAccept, unseen } from "../check/judge.ts";
import { numericIds } from "../check/leaves.ts";
import type { Terms } from "../check/terms.ts";
import { TEXTS, type TextName } from "../check/texts.ts";
import type { Draft } from "./hazard.ts";

const RAW = "Verify the raw bytes as they came";

/** The body is split inside the last character of each text. */
const CUTS = ["2 bytes", "3 bytes", "4 bytes"] as const satisfies TextName[];

/** Valid events with unusual bytes and texts, each of which must get a 2xx response. */
export const wireHazards = (
  { Name, retried, bodies, facts, name }: Terms,
  unlikeJson: string | false,
): Draft[] => [
  {
    name: "split-character",
    title: "A body in two segments, cut inside a character",
    impossible: unlikeJson,
    why: `TCP carries bytes, and the network may divide a body anywhere, even inside a multibyte character. ${retried}`,
    fix: "Join the chunks as bytes and decode them once: Buffer.concat(chunks) in Node.js. `body += chunk` decodes each on its own, so both halves become U+FFFD.",
    requests: ({ request, written }) =>
      CUTS.map((name) => {
        const cutInside = [...TEXTS[name]].at(-1)!;
        return request(`an event, cut inside ${cutInside} (${name})`, written(name), {
          cutInside,
        });
      }),
  },
  {
    name: "lower-case-headers",
    title: "Header names in lower case",
    why: `Header names mean the same in any case. HTTP/2 sends them in lower case, and so do many proxies in front of your server. ${retried}`,
    fix: "Look up headers case-insensitively: in Node.js, request.headers has all names in lower case, and Headers.get() accepts any case.",
    requests: ({ request, fresh }) => [
      request("an event, its header names in lower case", fresh("lower-case-headers"), {
        headers: (right) =>
          Object.fromEntries(Object.entries(right).map(([name, value]) => [name.toLowerCase(), value])),
      }),
    ],
  },
  {
    name: "crlf",
    title: "CRLF line breaks",
    impossible: unlikeJson,
    why: `${Name} signs the raw body and promises no formatting: a serializer on Windows that indents JSON ends its lines with CRLF. ${retried}`,
    fix: `${RAW}, before anything reads them as lines of text.`,
    requests: ({ request, fresh }) => {
      const event = fresh("crlf");
      const body = reformatted(event.body).replaceAll("\n", "\r\n");
      return [request("an event, indented in lines that end with CRLF", event, { body })];
    },
  },
  {
    name: "decomposed-text",
    title: "Decomposed text",
    why: `On a Mac, ë in a file name or in pasted text is often e and a combining mark (NFD). ${Name} passes on what people wrote, and its signature covers those bytes. ${retried}`,
    fix: `${RAW}, and normalize later, where you store or compare names.`,
    requests: ({ request, written }) => [
      request("an event about Zoë Ångström, decomposed", written("decomposed")),
    ],
  },
  {
    name: "line-separator",
    title: "A line separator",
    impossible: unlikeJson,
    why: `Text that is copied from a document may contain U+2028, and JSON allows it unescaped. Some sanitizers and templates drop or escape it, which changes the signed bytes. ${retried}`,
    fix: `${RAW}, and escape U+2028 only where you write text into a script.`,
    requests: ({ request, written }) => [request("an event about a name with U+2028", written("separator"))],
  },
  {
    name: "null-character",
    title: "A null character",
    why: `A string that a program filled in may contain a null character, in JSON \\u0000. Postgres cannot store it as text or jsonb, so inserting such an event fails at every retry. ${retried}`,
    fix: "Remove null characters from strings before you store them, and answer 2xx.",
    requests: ({ request, written }) => [request("an event about a name with \\u0000", written("null"))],
  },
  {
    name: "large-ids",
    title: "Ids beyond 2^53",
    impossible: !bodies.some((body) => numericIds(body).length > 0) && "it has no ids that are numbers",
    why: "The sender's ids are numbers, which JSON does not limit. JavaScript rounds numbers beyond 2^53, so two ids become one. A 32-bit integer overflows even earlier.",
    fix: "Read ids as strings or as 64-bit integers: JSON.parse with a reviver that uses context.source, or a parser for large numbers.",
    watch: "after-first",
    remark:
      facts.ids === "large" ? undefined : `The ids of ${name} are not known to pass 2^53 (ids in its file).`,
    requests: ({ request, largeIds }) =>
      largeIds!.map((event, index) =>
        request(`an event with ids of ${index === 0 ? "2^53" : "2^53 + 1"}`, event),
      ),
    judge(outcome) {
      const judged = mustAccept(outcome);
      const { verdict, summary } = judged;
      if (verdict !== "pass") return judged;
      if (outcome.state === "twice") return { verdict, summary: `${summary}; its state shows both` };
      if (outcome.state === "once")
        return {
          verdict: "fail",
          summary: `${summary}, but its state shows only the first: it treats both ids as one.`,
        };
      return unseen(
        judged,
        `Only the answers are visible. Check in your own data whether both were handled, ${outcome.answers.map(({ request }) => request.subject).join(" and ")}, or pass a state URL.`,
      );
    },
  },
];
