import { piecesOf } from "../models/ids.ts";

/** Text in which every id is a link to its object. */
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

/** Code in which every id is a link. Usually it is a single id. */
export function Id({ of }: { of: string }) {
  return (
    <code>
      <Ids of={of} />
    </code>
  );
}

export function Headers({ of, label }: { of: Record<string, string>; label: string }) {
  return (
    <table class="headers">
      <caption class="vh">{label}</caption>
      <tbody>
        {Object.entries(of).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <div>
                <Ids of={value} />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
