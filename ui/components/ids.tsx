import { piecesOf } from "../models/ids.ts";

/** A text whose ids are links to what they name. */
export function Ids({ of }: { of: string }) {
  return (
    <>
      {piecesOf(of).map(({ text, href }, at) =>
        href === undefined ? (
          text
        ) : (
          <a key={at} href={href}>
            {text}
          </a>
        ),
      )}
    </>
  );
}

/** Code whose ids are links: mostly one id. */
export function Id({ of }: { of: string }) {
  return (
    <code>
      <Ids of={of} />
    </code>
  );
}
