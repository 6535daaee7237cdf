const BACKGROUNDS = ["1d3557", "2a6f97", "386641", "6a4c93", "7f4f24", "9d0208", "bc4b51", "3d405b"];
const SKINS = ["ffe8d6", "e6b89c", "c68b59", "8d5524", "ffdbac", "f1c27d"];
const CLOTHES = ["f4a261", "e9c46a", "2a9d8f", "e76f51", "a8dadc", "ffb703", "cdb4db", "90be6d"];

/**
 * An avatar in three colours, as a data URI, so that leaderboards show faces without network access.
 * @param draw returns whole numbers
 */
export function drawAvatar(draw: () => number): string {
  const color = (list: readonly string[]) => `%23${list[draw() % list.length]}`;
  return (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E" +
    `%3Cpath fill='${color(BACKGROUNDS)}' d='M0 0h8v8H0z'/%3E` +
    `%3Ccircle fill='${color(SKINS)}' cx='4' cy='3' r='1.6'/%3E` +
    `%3Cpath fill='${color(CLOTHES)}' d='M1 8a3 3 0 0 1 6 0'/%3E%3C/svg%3E`
  );
}
