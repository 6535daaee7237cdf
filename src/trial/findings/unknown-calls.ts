const MOST_NAMED = 5;

/** Lists the sender API calls that could not be answered correctly, in a sentence. */
export function unknownCallWords(calls: readonly string[], sender: string): string {
  const more = calls.length > MOST_NAMED ? ` and ${calls.length - MOST_NAMED} more` : "";
  const named = calls.slice(0, MOST_NAMED).join(", ") + more;
  return `The server made calls that ${sender}'s sender file has no response for: ${named}. What it did afterwards may be correct.`;
}

export const UNKNOWN_CALLS_HINT =
  "Describe them in your own sender file, under api and objects: npx sandglass init --sender writes a copy that you can edit.";
