import type { Client, ResultOf } from "../../client/http.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { instant } from "../../timeline/instant.ts";
import { clip, plainLines } from "../../timeline/text.ts";
import { LAST, newest } from "../operation/find-named.ts";
import { view, viewsOf } from "../operation/view.ts";
import { bodyLines, type Cell, columns, fields, paint, statusCell } from "../output.ts";

type Call = ResultOf<"requests.list">["data"][number];

const NONE = "The APIs have not received any calls yet.";
const WAY_OUT = "Print their addresses and keys: npx sandglass env";
/** The maximum length of a hint in the list. The view of a single call shows the whole hint. */
const LONGEST_HINT = 80;

export const views = viewsOf(
  view("requests.list", {
    lines: ({ data }) => (data.length === 0 ? [`${NONE} ${WAY_OUT}`] : columns(data.map(row))),
  }),
  view("requests.get", {
    read: async ({ id }, { sandbox }) => ({ id: id === LAST ? await latestId(sandbox) : id }),
    lines: (call) => detailLines(call),
  }),
);

/** @throws SandboxError `not_found` */
const latestId = async (sandbox: Client): Promise<number> =>
  newest((await sandbox.run("requests.list", { limit: 1 })).data, NONE, WAY_OUT).id;

const row = ({ id, at, method, path, status, hint = "", duration_ms: took }: Call): Cell[] => [
  { text: String(id), color: paint.dim },
  { text: instant(at), color: paint.dim },
  method,
  path,
  statusCell(status),
  { text: `in ${formatDuration(took)}`, color: paint.dim },
  { text: clip(hint, LONGEST_HINT), color: paint.yellow },
];

const detailLines = (call: ResultOf<"requests.get">): string[] => [
  ...fields([
    ["call", `${call.method} ${call.path}`],
    ["at", `${instant(call.at)} UTC`],
    ["response", statusCell(call.status, ` in ${formatDuration(call.duration_ms)}`)],
    ...(call.hint === undefined
      ? []
      : [["hint", { text: call.hint, color: paint.yellow }] as [string, Cell]]),
  ]),
  ...bodyLines("request body", call.body),
  ...bodyLines("response body", call.response_body),
  "",
  ...plainLines(call.curl),
];
