/** What a fault may do to one attempt, as the control API takes it. */
interface Effect<Kind extends string> {
  kind?: Kind;
  status?: number;
  passThrough?: boolean;
  overlap?: boolean;
}

/** A step of a fault's sequence, as commands and forms write it: `503`, `timeout`, `reset+pass`, `timeout+overlap`. */
export function stepText<Kind extends string>(
  step: number | string | Effect<Kind>,
  fault: Effect<Kind> = {},
): string {
  if (typeof step !== "object") return String(step);
  const { kind = "status", status = 500, passThrough, overlap } = { ...fault, ...step };
  return (kind === "status" ? status : kind) + (overlap ? "+overlap" : passThrough ? "+pass" : "");
}

/** Reads what `stepText` writes. A kind may be any word: whatever has the list of kinds checks it. */
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
