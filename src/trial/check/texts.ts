/** Samples of human-written text, keyed by what they test. */
export const TEXTS = {
  unicode: "Zoë Ångström 周 🧾",
  "2 bytes": "Zoë",
  "3 bytes": "周",
  "4 bytes": "🧾",
  decomposed: "Zoë Ångström".normalize("NFD"),
  separator: "Ada\u2028Lovelace",
  null: "Ada\u0000Lovelace",
} as const;

export type TextName = keyof typeof TEXTS;
