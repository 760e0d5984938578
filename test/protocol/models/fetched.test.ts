import { expect, it } from "vitest";
import { beginsAsPage, fetchedFile, isPage } from "../../../src/protocol/models/fetched.ts";
import { mayKeep } from "../../../workers/offline/scope.ts";

const answer = (body: string, type = "application/octet-stream") => new Response(body, { headers: { "content-type": type } });

it("a page is told by what it says it is and by how it begins, whatever it is called", async () => {
  expect(["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml"].map((type) => isPage(answer("", type)))).toEqual([
    true,
    true,
    true,
  ]);
  const page = (text: string) => beginsAsPage(new TextEncoder().encode(text));
  expect(["<!DOCTYPE html>", "\uFEFF\r\n <html lang=en>", "<!-- hello --><HTML>", "<?xml version='1.0'?>"].map(page)).toEqual(
    Array(4).fill(true),
  );
  expect(["{}", "<|im_start|>", "{% for m in messages %}<html>", "GGUF", ""].map(page)).toEqual(Array(5).fill(false));
});

it("a small file is taken where it is whole and no page", async () => {
  await expect(fetchedFile("config.json", answer("<html>", "application/json"))).rejects.toThrow(
    "config.json did not come: a page came in its place",
  );
  await expect(fetchedFile("chat_template.jinja", answer("Sign in", "text/html"))).rejects.toThrow("a page came in its place");
  for (const half of ['{"a":', "", "{}{}"])
    await expect(fetchedFile("config.json", answer(half))).rejects.toThrow("config.json did not come whole: it is not JSON");
  expect(await fetchedFile("config.json", answer('{"a":1}'))).toEqual(new TextEncoder().encode('{"a":1}'));
});

it("the service worker keeps a page under the address of a page alone, and nothing but what came whole", () => {
  const keeps = (path: string, type: string, status = 200) =>
    mayKeep(`https://lab.example/site/${path}`, new Response(null, { status, headers: { "content-type": type } }));
  for (const path of ["models/base/model.safetensors", "examples/a.rollout", "assets/app.js", "models/base/config.json"]) {
    expect(keeps(path, "text/html; charset=utf-8")).toBe(false);
    expect(keeps(path, "application/octet-stream")).toBe(true);
    expect(keeps(path, "application/octet-stream", 206)).toBe(false);
  }
  expect([keeps("", "text/html"), keeps("index.html", "text/html"), keeps("index.html", "text/html", 503)]).toEqual([true, true, false]);
});
