// Before the first paint, so that a page in the other theme never flashes.
try {
  const kept = JSON.parse(localStorage.getItem("sandglass") ?? "{}");
  if (kept.theme === "light" || kept.theme === "dark") document.documentElement.dataset.theme = kept.theme;
  if (kept.presenting === true) document.documentElement.dataset.presenting = "";
} catch {
  // Storage may be closed to this page; then the system's theme it is.
}
