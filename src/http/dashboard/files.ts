import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMAND } from '../../lib/root.ts';

interface DashboardFile {
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

/** Nothing but our own files, no inline script or style, and no text that becomes code. */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // Whether it is shown depends on the session.
  'cache-control': 'private, no-cache',
};
/** Their names contain a hash of their content. */
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' };

export function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
  status = 200,
): Buffer | FastifyReply {
  const page = file.type.startsWith('text/html');
  reply.headers(page ? PAGE_HEADERS : ASSET_HEADERS).headers({ etag: file.etag, vary: 'accept-encoding' });
  if (headers['if-none-match'] === file.etag) return reply.code(304).send();
  const accepted = headers['accept-encoding'] ?? '';
  const coding = (['br', 'gzip'] as const).find((each) => file[each] && accepts(accepted, each));
  if (coding) reply.header('content-encoding', coding);
  reply.code(status).type(file.type);
  return coding ? (file[coding] as Buffer) : file.plain;
}

function accepts(header: string, coding: string): boolean {
  const found = header.split(',').find((each) => each.trim().split(/[ ;]/)[0] === coding);
  return found !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(found);
}
