import { type Group, sharesOf } from "../../../src/story/groups.ts";

/** A label with more characters needs a wider mark. */
const LONGEST_LABEL = 3;

/** What is written in a mark: nothing where there is no room. */
const labelOf = ({ marks, roomy }: Group): string =>
  !roomy ? "" : marks.length > 1 ? `${marks.length}×` : marks[0]!.label;

/** A mark's name: what is written in it belongs to it, for those who call it by what they see. */
export function markName(group: Group, text: string): string {
  const label = group.marks.length > 1 ? "" : labelOf(group);
  return text.includes(label) ? text : `${label}: ${text}`;
}

/** The classes of a mark, for the style sheet. */
export function markClass(group: Group): string {
  const { kind, tone, marks, roomy } = group;
  const size = !roomy ? " small" : labelOf(group).length > LONGEST_LABEL ? " wide" : "";
  return `mark ${kind} ${tone} ${marks[0]!.trigger}${size}${marks.length > 1 ? " many" : ""}`;
}

/** What is drawn in a mark: its label, and of several attempts how many failed and are under way. */
export function MarkFace({ group }: { group: Group }) {
  const label = labelOf(group);
  if (group.kind !== "attempt" || group.marks.length === 1) return <>{label}</>;
  const { bad, pending } = sharesOf(group);
  return (
    <>
      {pending > 0 && <i class="share pending" style={{ height: `${bad + pending}%` }} />}
      {bad > 0 && <i class="share" style={{ height: `${bad}%` }} />}
      <span class="label">{label}</span>
    </>
  );
}
