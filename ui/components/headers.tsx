import { Ids } from "./ids.tsx";

/** Headers of a message, as they were. */
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
