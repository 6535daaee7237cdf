import { ERROR_CONTRACT } from "../../support/error-contract.ts";
import type { Area } from "./documents.ts";
import type { RawRequest } from "./draft.ts";
import type { Answer, Outcome } from "./wire.ts";

/** A header of responses that a fault created. Such responses may have any status. */
const FAULT = "x-sandbox-fault";
/** Matches a delivery to a built-in subscriber, which responds as configured. */
const DELIVERY = /^POST \S*\/_sandbox\/inbox\/[^\s/]+ /;
const TRACE = /\n\s+at |node_modules|\.ts:\d|SQLITE_|TypeError|Cannot read propert/;

// biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes
type Body = any;

const keys = (value: unknown): string =>
  value !== null && typeof value === "object" ? Object.keys(value).sort().join() : "";

/**
 * Whether a body is an error in the format that docs/errors.md specifies for an area.
 * @param plain whether a route has responded; HTTP-level errors have other statuses
 */
const FORMS: Record<Area, (body: Body, status: number, plain: boolean) => boolean> = {
  platform: ({ error }, status, plain) => {
    const [type, own] = ERROR_CONTRACT[error?.code as keyof typeof ERROR_CONTRACT] ?? [];
    return (
      (own === status || (!plain && own === 400)) &&
      error.type === type &&
      ["code,message,type", "code,message,param,type"].includes(keys(error)) &&
      isSentence(error.message)
    );
  },
  data: (body) => ["error", "message"].includes(keys(body)) && isSentence(body.error ?? body.message),
  game: (body, status) =>
    keys(body) === "className,code,data,message,name" &&
    body.code === status &&
    isSentence(body.message) &&
    body.data.success === false &&
    body.data.error === body.message,
  control: (body) =>
    keys(body) === "error" &&
    ["code,hint,message", "code,hint,message,param"].includes(keys(body.error)) &&
    isSentence(body.error.message),
};

/** A damaged path may turn into that of a sender's API, which no document describes. */
const isFromSenders = ({ error }: Body): boolean =>
  typeof error === "object" && keys(error) === "message" && isSentence(error.message);

const isSentence = (text: unknown): boolean => typeof text === "string" && /^\S.*[.…)]$/s.test(text);

/** Describes what is wrong with the outcome of a request; undefined if nothing is wrong. */
export function problemWith(request: RawRequest, outcome: Outcome): string | undefined {
  if (outcome === "hung") return "no answer in time";
  if (outcome === "closed") return request.broken ? undefined : "the connection was closed without an answer";
  const { status, headers, text } = outcome;
  if (status < 200 || status > 599) return `the status ${status}`;
  if (TRACE.test(text) && status >= 400) return `an answer that shows internals: ${text.slice(0, 300)}`;
  if (status < 400 || request.bodiless) return undefined;
  if (headers[FAULT] !== undefined || DELIVERY.test(request.bytes.toString("latin1"))) return undefined;
  if (status >= 500 && !isDocumented500(request, outcome))
    return `an unexpected ${status}: ${text.slice(0, 300)}`;
  return formProblem(request, outcome);
}

/** Chain data responds with 500 if no provider can respond, and some requests make providers fail. */
function isDocumented500({ area }: RawRequest, { status, text }: Answer): boolean {
  return area === "data" && status === 500 && !text.includes("unexpected error");
}

function formProblem({ area, plain }: RawRequest, { status, headers, text }: Answer): string | undefined {
  if (!plain && headers["content-type"]?.startsWith("text/html")) return undefined;
  const shown = `${status} ${JSON.stringify(text.slice(0, 300))}`;
  let body: Body;
  try {
    body = JSON.parse(text);
  } catch {
    return `an error that is not JSON: ${shown}`;
  }
  const areas = plain ? [area] : (Object.keys(FORMS) as Area[]);
  const fits = areas.some((one) => FORMS[one](body, status, plain)) || (!plain && isFromSenders(body));
  return fits ? undefined : `an error that is not in the documented form: ${shown}`;
}
