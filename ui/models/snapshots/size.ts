const STEP = 1_024;

/** `812 KB`, `4.1 MB`. */
export function sizeText(bytes: number): string {
  const kilo = bytes / STEP;
  return kilo < STEP ? `${Math.ceil(kilo)} KB` : `${(kilo / STEP).toFixed(1)} MB`;
}
