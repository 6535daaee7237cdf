export interface FaultEffect<Kind extends string> {
  kind?: Kind;
  /** The response status for kind `status`. */
  status?: number;
  /** Also calls the real subscriber and ignores its response. */
  passThrough?: boolean;
  /** Like `passThrough`, but the request arrives with the endpoint's next one, as if it were still being processed. */
  overlap?: boolean;
}

/** Formats a step of a fault sequence as commands and forms write it: `503`, `timeout`, `reset+pass`, `timeout+overlap`. */
export function stepText<Kind extends string>(
  step: number | string | FaultEffect<Kind>,
  fault: FaultEffect<Kind> = {},
): string {
  if (typeof step !== "object") return String(step);
  const { kind = "status", status = 500, passThrough, overlap } = { ...fault, ...step };
  return (kind === "status" ? status : kind) + (overlap ? "+overlap" : passThrough ? "+pass" : "");
}

/** Parses the format of `stepText`. A kind may be any word; the caller validates it. */
export function readStep(text: string): number | string | FaultEffect<string> {
  const [name, mark, ...rest] = text.trim().split("+") as [string, ...string[]];
  const isStatus = /^\d+$/.test(name);
  if (rest.length > 0 || (mark !== "pass" && mark !== "overlap"))
    return mark === undefined && isStatus ? Number(name) : text.trim();
  return {
    ...(isStatus ? { kind: "status", status: Number(name) } : { kind: name }),
    ...(mark === "pass" ? { passThrough: true } : { overlap: true }),
  };
}
