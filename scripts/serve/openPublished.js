// Opens the recording that was published with the page. An address of a screen that shows a run means a place of the recording; a lesson, a race or
// another recording is left as it is. Stands in the page before its own scripts run.
(() => {
  const { run, bytes } = document.currentScript.dataset;
  const [screen, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  if (!["", "train", "rollouts", "time", "explain"].includes(screen)) return;
  const at = new URLSearchParams(query);
  const range = at.get("range");
  at.delete("range");
  const link = new URLSearchParams({ screen: screen || "train", at: String(at), ...(range ? { range } : {}), from: run, bytes });
  history.replaceState(history.state, "", `#/replay?${link}`);
})();
