/** The effect of a fault on one attempt, in the control API's form. */
interface Effect<Kind extends string> {
  kind?: Kind;
  status?: number;
  passThrough?: boolean;
  overlap?: boolean;
}

/** A part of a fault's sequence in the form of commands and forms: `503`, `timeout`, `reset+pass`, `timeout+overlap`. */
export function stepText<Kind extends string>(
  step: number | string | Effect<Kind>,
  fault: Effect<Kind> = {},
): string {
  if (typeof step !== "object") return String(step);
  const { kind = "status", status = 500, passThrough, overlap } = { ...fault, ...step };
  return (kind === "status" ? status : kind) + (overlap ? "+overlap" : passThrough ? "+pass" : "");
}

/** Reads the form of `stepText`. A kind may be any word, which the owner of the list checks. */
export function readStep(text: string): number | string | Effect<string> {
  const [name, mark, ...rest] = text.trim().split("+") as [string, ...string[]];
  const isStatus = /^\d+$/.test(name);
  if (rest.length > 0 || (mark !== "pass" && mark !== "overlap"))
    return mark === undefined && isStatus ? Number(name) : text.trim();
  return {
    ...(isStatus ? { kind: "status", status: Number(name) } : { kind: name }),
    ...(mark === "pass" ? { passThrough: true } : { overlap: true }),
  };
}
