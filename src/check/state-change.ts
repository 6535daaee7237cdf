/**
 * What changed between two states that are JSON, as numbers: numbers themselves (texts of digits, too), lengths of
 * lists, counts of keys. Places that only one of the two has do not count: how many there are does.
 * @returns the changes that are not 0, by place; none for what is no JSON
 */
export function changeBetween(before: string, after: string): Map<string, number> {
  const [then, now] = [measure(before), measure(after)];
  const changes = new Map<string, number>();
  for (const [place, value] of now) {
    const change = value - (then.get(place) ?? value);
    if (change !== 0) changes.set(place, change);
  }
  return changes;
}

/**
 * How often an event was handled, by what changed and by what one event changes. Only a multiple that fits tells:
 * everything changed as by one event, or something changed twice as much.
 */
export function timesOf(
  changes: ReadonlyMap<string, number>,
  single: ReadonlyMap<string, number>,
): "once" | "twice" | "unclear" {
  if (single.size === 0 || changes.size !== single.size) return "unclear";
  const times = [...single].map(([place, one]) => (changes.get(place) ?? Number.NaN) / one);
  if (times.some((count) => count !== 1 && count !== 2)) return "unclear";
  return times.includes(2) ? "twice" : "once";
}

function measure(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const walk = (value: unknown, place: string): void => {
    if (typeof value === "number") found.set(place, value);
    else if (typeof value === "string" && /^\d{1,15}$/.test(value)) found.set(place, Number(value));
    else if (Array.isArray(value)) found.set(`${place}/length`, value.length);
    else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value);
      found.set(`${place}/keys`, entries.length);
      for (const [key, inner] of entries) walk(inner, `${place}/${key}`);
    }
  };
  try {
    walk(JSON.parse(text), "");
  } catch {
    // Text of any form changes or does not, but tells no amounts.
  }
  return found;
}
