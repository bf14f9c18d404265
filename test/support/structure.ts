import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Their files must not import each other in circles. */
const CODE = [
  'src/**/*.ts',
  'web/src/**/*.{ts,tsx}',
  'packages/client/src/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'faults/**/*.ts',
];
/** Beside the floors: the command line calls the domain, not HTTP. */
const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [['src/commands/', 'src/http/']];

type Graph = ReadonlyMap<string, ReadonlySet<string>>;
/** Folders or files, from the ground up. On a floor, each knows only those after it. */
type Floors = readonly (readonly string[])[];

/** Where imports break the rules of docs/architecture.md, which draws the floors. */
export function structureProblems(
  floors: Floors = readFloors(readFileSync('docs/architecture.md', 'utf8')),
): string[] {
  const graph = readImports();
  return [
    ...misplaced(floors, [...graph.keys()]),
    ...upward(floors, graph),
    ...forbidden(graph),
    ...circular(graph),
  ];
}

/** Lines such as `5  webhooks/ mail/   listeners`, the top floor first. */
export function readFloors(text: string): string[][] {
  const block = /```text floors\n(.*?)```/s.exec(text)?.[1];
  if (block === undefined) throw new Error('docs/architecture.md has no block of floors');
  const floors: string[][] = [];
  for (const line of block.split('\n').filter((each) => each.trim() !== '')) {
    const [, number, rooms = ''] = /^\s*(\d*)\s+(.+?)(?:\s{3,}.*)?$/.exec(line) ?? [];
    const names = rooms.split(/\s+/).map((room) => `src/${room}`);
    if (number) floors.push(names);
    else floors.at(-1)?.push(...names);
  }
  return floors.reverse();
}

function readImports(): Graph {
  const files = globSync(CODE).filter((file) => !file.endsWith('.d.ts'));
  return new Map(files.map((file) => [file, importsOf(file)]));
}

function importsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:\bfrom|\bimport\(|^import) ?'(\.[^']+\.tsx?)'/gm);
  return new Set([...found].map(([, name]) => path.join(path.dirname(file), name as string)));
}

function misplaced(floors: Floors, files: readonly string[]): string[] {
  const missing = floors.flat().filter((room) => !existsSync(room));
  const count = (file: string) => floors.filter((rooms) => rooms.some((room) => isIn(room, file))).length;
  const unclear = files.filter((file) => isServer(file) && count(file) !== 1);
  return [
    ...missing.map((room) => `${room} is drawn in docs/architecture.md, but not there`),
    ...unclear.map((file) => `${file} is on ${count(file)} floors in docs/architecture.md`),
  ];
}

/** A file imports from its own room, from rooms after it on its floor, and from the floors below. */
function upward(floors: Floors, graph: Graph): string[] {
  const rooms = floors.flatMap((floor) => floor.toReversed()); // From the ground up, and from the last to the first.
  const heightOf = (file: string) => rooms.findIndex((room) => isIn(room, file));
  return importsIn(graph)
    .filter(([from, to]) => isServer(from) && heightOf(to) > heightOf(from))
    .map(([from, to]) => `${from} imports ${to}, which is neither below nor after it`);
}

function forbidden(graph: Graph): string[] {
  const isForbidden = (from: string, to: string) =>
    FORBIDDEN.some(([above, below]) => isIn(above, from) && isIn(below, to));
  return importsIn(graph)
    .filter(([from, to]) => isForbidden(from, to))
    .map(([from, to]) => `${from} imports ${to}, but the command line calls the domain, not HTTP`);
}

function circular(graph: Graph): string[] {
  const folders = new Map<string, Set<string>>();
  for (const [from, to] of importsIn(graph)) {
    const [a, b] = [path.dirname(from), path.dirname(to)];
    if (!isServer(from) || a === b || a === 'src' || b === 'src') continue;
    folders.set(a, (folders.get(a) ?? new Set()).add(b));
  }
  return [...circles(graph), ...circles(folders)].map((names) => `${names.join(', ')} import each other`);
}

function isServer(file: string): boolean {
  return file.startsWith('src/') && !file.endsWith('.test.ts');
}

function isIn(room: string, file: string): boolean {
  return room.endsWith('/') ? file.startsWith(room) : file === room;
}

function importsIn(graph: Graph): [from: string, to: string][] {
  return [...graph].flatMap(([from, imports]) => [...imports].map((to): [string, string] => [from, to]));
}

/** Each group of names that can reach one another (Tarjan). */
export function circles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    low.set(name, order.get(name) as number);
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      low.set(name, Math.min(low.get(name) as number, low.get(next) as number));
    }
    if (low.get(name) !== order.get(name)) return;
    const group = stack.splice(stack.indexOf(name));
    if (group.length > 1) found.push(group.sort());
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}
