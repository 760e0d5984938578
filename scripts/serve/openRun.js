// Opens the run that the server has beside the page, once the engine is up: as if its files had been dropped there.
(async () => {
  // A service worker of another visit would bring files of its own build: this page is the server's.
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  if (navigator.serviceWorker?.controller) return location.reload();
  const paths = await (await fetch("/run/files.json")).json();
  const files = await Promise.all(
    paths.map(
      async (path) => new File([await (await fetch(`/run/${path.split("/").map(encodeURIComponent).join("/")}`)).arrayBuffer()], path),
    ),
  );
  while (window.rolloutLab?.snapshot().engine !== "ready") await new Promise((resolve) => setTimeout(resolve, 50));
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
})();
