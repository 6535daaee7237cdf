/** What a fault may do to one attempt, as the control API takes it. */
interface Effect<Kind extends string> {
  kind?: Kind;
  status?: number;
  passThrough?: boolean;
  wait?: boolean;
}

/** A step of a fault's sequence, as commands and forms write it: `503`, `timeout`, `reset+pass`, `timeout+pass+nowait`. */
export function stepText<Kind extends string>(
  step: number | string | Effect<Kind>,
  fault: Effect<Kind> = {},
): string {
  if (typeof step !== "object") return String(step);
  const { kind = "status", status = 500, passThrough, wait } = { ...fault, ...step };
  return [
    kind === "status" ? status : kind,
    ...(passThrough ? ["pass"] : []),
    ...(wait === false ? ["nowait"] : []),
  ].join("+");
}

/** Reads what `stepText` writes. A kind may be any word: who has the list of kinds checks it. */
export function readStep(text: string): number | string | Effect<string> {
  const [name, ...marks] = text.trim().split("+");
  const known = marks.every((mark) => mark === "pass" || mark === "nowait");
  if (marks.length === 0 || !known) return /^\d+$/.test(text.trim()) ? Number(text) : text.trim();
  return {
    ...(/^\d+$/.test(name!) ? { kind: "status", status: Number(name) } : { kind: name! }),
    ...(marks.includes("pass") && { passThrough: true }),
    ...(marks.includes("nowait") && { wait: false }),
  };
}
