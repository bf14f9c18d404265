import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { COMMAND } from '../../lib/root.ts';

export interface DashboardFile {
  type: string;
  etag: string;
  plain: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

type DashboardFiles = ReadonlyMap<string, DashboardFile>;

/** The built files in memory, read again when a build has replaced them. Empty while there is none. */
export function dashboardFiles(directory: string, base: string): () => DashboardFiles {
  let version: string | undefined;
  let files: DashboardFiles = new Map();
  return () => {
    const now = versionOf(directory);
    if (now !== version) {
      files = now === undefined ? new Map() : readAll(directory, base);
      version = now;
    }
    return files;
  };
}

function versionOf(directory: string): string | undefined {
  const found = statSync(path.join(directory, 'index.html'), { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs}`;
}

function readAll(directory: string, base: string): DashboardFiles {
  const read = (name: string) => readFileSync(path.join(directory, name));
  const names = new Set(globSync('**/*', { cwd: directory }));
  const files = new Map<string, DashboardFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (!type) continue;
    if (type === TYPES['.html']) {
      const plain = Buffer.from(underBase(read(name).toString(), base));
      files.set(name, {
        type,
        plain,
        etag: etagOf(plain),
        br: brotliCompressSync(plain),
        gzip: gzipSync(plain),
      });
      continue;
    }
    const plain = read(name);
    files.set(name.split(path.sep).join('/'), {
      type,
      plain,
      etag: etagOf(plain),
      ...(names.has(`${name}.br`) ? { br: read(`${name}.br`) } : {}),
      ...(names.has(`${name}.gz`) ? { gzip: read(`${name}.gz`) } : {}),
    });
  }
  return files;
}

function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** The page is shown at many paths, so its links to files are absolute. Files link to each other relatively. */
function underBase(page: string, base: string): string {
  return page
    .replaceAll('="./assets/', `="${base}/assets/`)
    .replace('<meta name="base-path" content=""', `<meta name="base-path" content="${base}"`)
    .replace(/<meta name="command" content="[^"]*"/, `<meta name="command" content="${COMMAND}"`);
}
