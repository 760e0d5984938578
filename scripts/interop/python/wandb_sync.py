"""Has `wandb sync` upload the exported run to a server on this machine, which answers as little as it must, and compares what arrives."""

import gzip
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from records import compare, recorded

path, out, *rest = sys.argv[1:]
goes_on = rest == ["goes-on"]
runs, lines, ends = [], {}, []


def answer(query, given):
    if "upsertBucket" in query:
        runs.append(given)
        project = {"id": "p", "name": given["project"], "entity": {"id": "e", "name": "here"}}
        names = {"id": "r", "name": given["name"], "displayName": given["displayName"], "description": "", "config": "{}"}
        return {"upsertBucket": {"bucket": {**names, "sweepName": None, "historyLineCount": 0, "project": project}, "inserted": True}}
    if "createRunFiles" in query:
        files = [{"name": name, "uploadUrl": f"{address}/upload"} for name in given["files"]]
        return {"createRunFiles": {"runID": "r", "uploadHeaders": [], "files": files}}
    return {}


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
        said = {}
        if self.path == "/graphql":
            asked = json.loads(body)
            said = {"data": answer(asked["query"], asked["variables"])}
        elif self.path.endswith("/file_stream"):
            told = json.loads(body)
            for line in (told.get("files") or {}).get("wandb-history.jsonl", {}).get("content", []):
                values = json.loads(line)
                lines[values["_step"]] = values
            if told.get("complete"):
                ends.append(told.get("exitcode"))
        text = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_GET = do_POST


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
address = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
folders = {name: str(Path("wandb-own").resolve()) for name in ("WANDB_CONFIG_DIR", "WANDB_CACHE_DIR", "WANDB_DATA_DIR")}
variables = {**os.environ, **folders, "WANDB_BASE_URL": address, "WANDB_API_KEY": "a" * 40, "WANDB_ERROR_REPORTING": "false"}
command = [sys.executable, "-m", "wandb", "sync", "--yes", *map(str, Path(out).glob("offline-run-*"))]
done = subprocess.run(command, capture_output=True, text=True, env=variables)
if done.returncode != 0:
    sys.exit(f"wandb sync: {done.stdout[-1000:]}{done.stderr[-2000:]}")
count = compare(recorded(path), lambda step, name: lines.get(step, {}).get(name), 1e-12)
settings = {name: each["value"] for name, each in json.loads(runs[0]["config"]).items() if name != "_wandb"}
if not goes_on and (settings.get("learningRate") != 0.0005 or ends != [0]):
    sys.exit(f"the settings arrive as {settings}, the exit codes as {ends}")
if goes_on:
    print(f"wandb sync uploads {count} values in {len(lines)} rows of a run that goes on, to a server on this machine.")
    sys.exit()
size = sum(each.stat().st_size for each in Path(out).rglob("*.wandb"))
print(
    f"wandb sync takes the offline run ({size} bytes, {-(-size // 32768)} blocks of its log) and uploads it to a server on this machine, which stands in for theirs: "
    f"run {runs[0]['displayName']} of project {runs[0]['project']}, {count} values in {len(lines)} rows (a step each, and the evaluation before the first) are those of metrics.jsonl, with {len(settings)} settings; the run has ended. "
    "To the service itself nothing was sent."
)
