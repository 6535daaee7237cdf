// Set the theme before the first paint, so that the wrong one never flashes.
try {
  const kept = JSON.parse(localStorage.getItem("sandglass") ?? "{}");
  if (kept.theme === "light" || kept.theme === "dark") document.documentElement.dataset.theme = kept.theme;
  if (kept.presenting === true) document.documentElement.dataset.presenting = "";
} catch {
  // Without access to storage, use the system's theme.
}
