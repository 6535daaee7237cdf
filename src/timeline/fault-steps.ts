/** The effect of a fault on one attempt. */
export interface FaultEffect<Kind extends string> {
  kind?: Kind;
  /** The status to answer, for kind `status`. */
  status?: number;
  /** Calls the real subscriber as well, and ignores its answer. */
  passThrough?: boolean;
  /** Like `passThrough`, but the request arrives with the endpoint's next one, as if the subscriber was still processing it. */
  overlap?: boolean;
}

/** A part of a fault's sequence in the form of commands and forms: `503`, `timeout`, `reset+pass`, `timeout+overlap`. */
export function stepText<Kind extends string>(
  step: number | string | FaultEffect<Kind>,
  fault: FaultEffect<Kind> = {},
): string {
  if (typeof step !== "object") return String(step);
  const { kind = "status", status = 500, passThrough, overlap } = { ...fault, ...step };
  return (kind === "status" ? status : kind) + (overlap ? "+overlap" : passThrough ? "+pass" : "");
}

/** Reads the form of `stepText`. A kind may be any word, which the owner of the list checks. */
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
