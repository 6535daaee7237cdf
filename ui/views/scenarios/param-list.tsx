import { Text } from "../../components/parts.tsx";
import type { Run } from "../../models/scenarios/api.ts";

/** Values of parameters: `failures 2, status 503`. */
export function ParamList({ of, lines = 3 }: { of: Run["params"]; lines?: number }) {
  const all = Object.entries(of);
  if (all.length === 0) return null;
  return (
    <span class="note flow param-list">
      {all.map(([name, value]) => (
        <span key={name}>
          <span>{name}</span>
          <b>
            <Text of={String(value) || "empty"} lines={lines} />
          </b>
        </span>
      ))}
    </span>
  );
}
