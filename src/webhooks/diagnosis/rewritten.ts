import { readJson } from "../body-text.ts";

/** A way to re-serialize a parsed body, and the frameworks whose handlers do so by mistake. */
export interface Rewriting {
  /** The call as written in the handler's language: `JSON.stringify(body)`. */
  name: string;
  /** @param json the output of `JSON.stringify` */
  write: (json: string, body: object) => string;
  /** How to get the raw body in each framework. */
  raw: Readonly<Record<string, string>>;
}

const STRING = /"(?:[^"\\]|\\.)*"/;
const withSpaces = (json: string): string =>
  json.replaceAll(new RegExp(`${STRING.source}|[,:]`, "g"), (token) =>
    token.length > 1 ? token : `${token} `,
  );
const inAscii = (json: string): string =>
  json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Sorts an object's keys, as Go does when it serializes a map. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

export const REWRITINGS: readonly Rewriting[] = [
  {
    name: "JSON.stringify(body)",
    write: (json) => json,
    raw: {
      Express: 'express.raw({ type: "*/*" }) on this route, before any express.json()',
      "Next.js": "await request.text() in a route handler, bodyParser: false in pages/api",
      Nest: "NestFactory.create(AppModule, { rawBody: true }), then request.rawBody",
      Fastify: 'addContentTypeParser("application/json", { parseAs: "buffer" }, …)',
      Hono: "await c.req.text()",
      Nuxt: "await readRawBody(event)",
      Rails: "request.raw_post",
    },
  },
  {
    name: "json.dumps(body)",
    write: (json) => inAscii(withSpaces(json)),
    raw: { Flask: "request.get_data()", Django: "request.body", FastAPI: "await request.body()" },
  },
  {
    name: "json_encode($body)",
    write: (json) => inAscii(json.replaceAll("/", "\\/")),
    raw: { Laravel: "$request->getContent()", PHP: 'file_get_contents("php://input")' },
  },
  {
    name: "json.Marshal(body)",
    write: (_, body) =>
      JSON.stringify(sorted(body)).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    raw: { Go: "io.ReadAll(request.Body), before json.Unmarshal" },
  },
];

/** A JSON body as each language re-serializes it; empty for a form. */
export function rewritingsOf(body: string): { rewriting: Rewriting; written: string }[] {
  const parsed = readJson(body);
  if (parsed === undefined) return [];
  const json = JSON.stringify(parsed);
  return REWRITINGS.map((rewriting) => ({ rewriting, written: rewriting.write(json, parsed) }));
}
