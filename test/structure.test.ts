import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

/** From the ground up, as docs/architecture.md shows them. */
const FLOORS = readFloors(readFileSync('docs/architecture.md', 'utf8'));
const FILES = globSync('src/**/*.ts').filter((file) => !/\.(test|d)\.ts$/.test(file));
const IMPORTS = new Map(FILES.map((file) => [file, importsOf(file)]));

describe('the structure of src', () => {
  it('places every file on one floor', () => {
    for (const room of FLOORS.flat()) assert.ok(existsSync(room), `${room} is drawn, but not there`);
    for (const file of FILES) {
      const floors = FLOORS.filter((rooms) => rooms.some((room) => isIn(room, file)));
      assert.equal(floors.length, 1, `${file} is on ${floors.length} floors in docs/architecture.md`);
    }
  });

  it('has no import from a floor above or from another folder on the same floor', () => {
    const wrong = allImports().filter(([from, to]) => {
      const [above, below] = [floorOf(from), floorOf(to)];
      return below > above || (below === above && !isProcessOrGround(above) && roomOf(from) !== roomOf(to));
    });
    assert.deepEqual(wrong.map(([from, to]) => `${from} imports ${to}`).sort(), []);
  });

  it('has no circle between files', () => {
    assert.deepEqual(circles(IMPORTS), []);
  });

  it('has no circle between folders', () => {
    const folders = new Map<string, Set<string>>();
    for (const [from, to] of allImports()) {
      const [a, b] = [path.dirname(from), path.dirname(to)];
      if (a === b || a === 'src' || b === 'src') continue;
      folders.set(a, (folders.get(a) ?? new Set()).add(b));
    }
    assert.deepEqual(circles(folders), []);
  });

  it('is what the linter enforces', () => {
    const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8')) as BiomeConfig;
    for (const [floor, rooms] of FLOORS.entries()) {
      for (const room of rooms) {
        const rule = overrides.find(({ includes }) => includes.includes(pattern(room)));
        assert.ok(rule, `biome.json has no rule for ${room}`);
        const forbidden = new Set(
          rule.linter.rules.style.noRestrictedImports.options.patterns.flatMap(({ group }) => group),
        );
        const others = isProcessOrGround(floor) ? [] : rooms.filter((other) => other !== room);
        for (const other of [...FLOORS.slice(floor + 1).flat(), ...others])
          assert.ok(forbidden.has(importPattern(other)), `${room} may import ${other}, says biome.json`);
      }
    }
  });
});

interface BiomeConfig {
  overrides: {
    includes: string[];
    linter: {
      rules: { style: { noRestrictedImports: { options: { patterns: { group: string[] }[] } } } };
    };
  }[];
}

/** Lines such as `5  webhooks/ mail/   listeners`, the top floor first. */
function readFloors(text: string): string[][] {
  const block = /```text floors\n(.*?)```/s.exec(text)?.[1];
  assert.ok(block, 'docs/architecture.md has no block of floors');
  const floors: string[][] = [];
  for (const line of block.split('\n').filter((each) => each.trim() !== '')) {
    const [, number, rooms = ''] = /^\s*(\d*)\s+(.+?)(?:\s{3,}.*)?$/.exec(line) ?? [];
    const names = rooms.split(/\s+/).map((room) => `src/${room}`);
    if (number) floors.push(names);
    else floors.at(-1)?.push(...names);
  }
  return floors.reverse();
}

function isIn(room: string, file: string): boolean {
  return room.endsWith('/') ? file.startsWith(room) : file === room;
}

function floorOf(file: string): number {
  return FLOORS.findIndex((rooms) => rooms.some((room) => isIn(room, file)));
}

function roomOf(file: string): string | undefined {
  return FLOORS.flat().find((room) => isIn(room, file));
}

/** Floors of single files, which may know each other. */
function isProcessOrGround(floor: number): boolean {
  return FLOORS[floor]?.some((room) => room.endsWith('.ts')) ?? false;
}

function pattern(room: string): string {
  return room.endsWith('/') ? `${room}**` : room;
}

function importPattern(room: string): string {
  const name = path.basename(room);
  return room.endsWith('/') ? `**/${name}/**` : `**/${name}`;
}

function importsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:\bfrom|\bimport\(|^import) ?'(\.[^']+\.ts)'/gm);
  return new Set([...found].map(([, name]) => path.join(path.dirname(file), name as string)));
}

function allImports(): [string, string][] {
  return [...IMPORTS].flatMap(([from, imports]) => [...imports].map((to): [string, string] => [from, to]));
}

/** Each group of names that can reach one another (Tarjan). */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
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
