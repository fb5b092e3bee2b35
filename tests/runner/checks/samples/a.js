#!/usr/bin/env node
import fs, { readFile as read } from "node:fs";
import data from "./data.json" with { type: "json" };
export * as all from "./all.js";

class Counter {
  static #made = 0;
  #count = 0n;
  static { Counter.#made += 1; }
  get count() { return this.#count; }
  async *[Symbol.asyncIterator]() { yield* [1, 2, 3]; }
  has(other) { return #count in other; }
}
const f = async ({ a = 1, ...rest }, [b, , c] = []) => a?.b?.[c] ?? rest?.(b) ** 2;
label: for await (const x of f()) { if (x) continue label; else break; }
const re = /[/\]]+(?<year>\d{4})/dgu, big = 1_000_000n, html = `a${`b${1}`}`;
a ||= b, c &&= d, e ??= g
try { throw new Error("x", { cause: 1 }) } catch { debugger }
export default await import("./x.js")
