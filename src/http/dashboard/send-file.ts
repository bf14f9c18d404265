import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DashboardFile } from './files.ts';

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
