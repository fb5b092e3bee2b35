import type { A } from "./a";
import { type B, c } from "./b";
export type Path<T extends string> = T extends `${infer Head}/${infer Rest}` ? [Head, Rest] : never;
abstract class Box<const T extends readonly unknown[]> implements A<T> {
  declare readonly x?: number;
  constructor(private readonly value: T, protected other = 1) { super(); }
  abstract size(): asserts this is Box<T>;
  override get first(): T[0] { return this.value[0]!; }
  @logged() static make<T>(this: void, ...args: T[]): T[] { return args satisfies T[]; }
}
enum Color { Red = "red", Green = 1 << 2 }
namespace N.M { export const x = <const>["a"]; }
declare module "x" { export function f(a: number): string; export function f(a: string): number; }
declare global { interface Window { x: unique symbol } }
type Fn = { new (x: number): Fn; readonly [key: string]: unknown } & (abstract new () => object);
type M = { -readonly [K in keyof A as `get${Capitalize<K & string>}`]+?: A[K] };
let v = x as unknown as number, t: [first: string, second?: number, ...rest: boolean[]];
export interface Out<in T, out U> { f(x: T): U }
function isString(x: unknown): x is string { return typeof x === "string"; }
export = v;
