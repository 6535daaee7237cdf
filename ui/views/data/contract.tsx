import { clip } from "../../models/format.ts";

const SHOWN = 16;

/** An address in little room; the whole of it on hover and for screen readers. */
export function Contract({ address }: { address: string }) {
  return (
    <code class="contract" title={address}>
      <span aria-hidden="true">{clip(address, SHOWN)}</span>
      <span class="vh">{address}</span>
    </code>
  );
}
