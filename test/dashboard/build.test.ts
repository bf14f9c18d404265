import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { DASHBOARD_DIRECTORY } from '../../src/server/build-dashboard.ts';
import { LIMITS_FILE, renderAdminApi, TYPES_FILE } from '../support/admin-types.ts';
import { ensureDashboard } from '../support/ensure-dashboard.ts';

const FIRST_LOAD_MAX = 200_000;
const PAGE_MAX = 60_000;
/** What a signed-in operator loads at `/`, and at the address of a waitlist. */
const FIRST_PAGES = {
  'the first page': ['index.html', 'src/pages/waitlists/waitlists-page.tsx'],
  'the overview of a waitlist': [
    'index.html',
    'src/pages/overview/overview-page.tsx',
    'src/ui/chart-canvas.tsx',
  ],
};

interface Chunk {
  file: string;
  src?: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
  assets?: string[];
}

describe('the types and limits of the admin API in the dashboard', () => {
  it('are those of the API: run `npm run web:types` after changing a route', async () => {
    const { types, limits } = await renderAdminApi();
    assert.equal(readFileSync(TYPES_FILE, 'utf8'), types);
    assert.equal(readFileSync(LIMITS_FILE, 'utf8'), limits);
  });
});

describe('the built dashboard', () => {
  let chunks: Record<string, Chunk>;
  before(async () => {
    await ensureDashboard();
    chunks = JSON.parse(readFileSync(path.join(DASHBOARD_DIRECTORY, '.vite/manifest.json'), 'utf8'));
  });

  /** The chunk and everything it loads with it. */
  const filesOf = (name: string, found = new Set<string>()): Set<string> => {
    const chunk = chunks[name];
    assert.ok(chunk, `${name} is not in the manifest`);
    if (found.has(chunk.file)) return found;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    for (const each of chunk.imports ?? []) filesOf(each, found);
    return found;
  };
  const sizes = new Map<string, number>(); // Pages share files, and compressing one takes long.
  const sizeOf = (file: string) => {
    const known = sizes.get(file);
    if (known !== undefined) return known;
    const { length } = brotliCompressSync(readFileSync(path.join(DASHBOARD_DIRECTORY, file)));
    sizes.set(file, length);
    return length;
  };
  const size = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + sizeOf(file), 0);

  for (const [page, parts] of Object.entries(FIRST_PAGES))
    it(`loads at most ${FIRST_LOAD_MAX / 1000} kB for ${page}`, () => {
      const total = size(new Set(parts.flatMap((name) => [...filesOf(name)])));
      assert.ok(total < FIRST_LOAD_MAX, `${total} bytes`);
    });

  /** What is loaded before a chunk is asked for, whoever asks. */
  const filesBefore = (name: string) => {
    const askers = Object.keys(chunks).filter((each) => chunks[each]?.dynamicImports?.includes(name));
    const [first = new Set<string>(), ...others] = askers.map((each) => filesOf(each));
    return new Set([...first].filter((file) => others.every((files) => files.has(file))));
  };

  it(`loads at most ${PAGE_MAX / 1000} kB for each further page, and for what opens on one`, () => {
    const entry = Object.entries(chunks).find(([, { src }]) => src === 'index.html')?.[0] ?? 'index.html';
    const loaded = filesOf(entry);
    const pages = Object.keys(chunks).filter((name) => /^src\/(pages|shell|ui)\/.*\.tsx$/.test(name));
    assert.ok(pages.length > 5);
    for (const page of pages) {
      const before = filesBefore(page);
      const total = size([...filesOf(page)].filter((file) => !loaded.has(file) && !before.has(file)));
      assert.ok(total < PAGE_MAX, `${page}: ${total} bytes`);
    }
  });

  it('needs nothing from another server', () => {
    for (const { file } of Object.values(chunks).filter(({ file }) => /\.(js|css)$/.test(file))) {
      const text = readFileSync(path.join(DASHBOARD_DIRECTORY, file), 'utf8');
      assert.doesNotMatch(
        text,
        /@import\s*(url)?\(?["']?https?:|url\(["']?https?:|(src|import)\s*=?\s*\(?["']https?:/,
        file,
      );
    }
  });
});
