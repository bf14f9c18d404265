import { createHash } from 'node:crypto';
import type { Database, Trx } from '../../db/database.ts';
import { invalid } from '../../lib/errors.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';

export const PICTURE_BYTES_MAX = 256 * 1024;
/** Of a waitlist. */
export const PICTURES_MAX = 50;
const DIGEST_CHARACTERS = 32;

interface Picture {
  type: PictureType;
  content: Uint8Array;
}

export type OwnWaitlist = Pick<Queue['waitlist'], 'internalId' | 'id'>;

const EXTENSIONS: Readonly<Record<PictureType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

/** Of an uploaded picture, within this installation. */
const PATH = /\/w\/(wl_[a-z0-9_-]+)\/pictures\/([0-9a-f]{32})\.(?:png|jpg|webp)$/;

/** Throws if it is not a picture. SVG is none, because it can hold scripts. */
export function checkPicture(content: Buffer): PictureType {
  if (content.length > PICTURE_BYTES_MAX) throw invalid('logo: must be at most 256 KiB');
  const type = pictureTypeOf(content);
  if (type === undefined) throw invalid('logo: must be a PNG, JPEG or WebP picture');
  return type;
}

/**
 * Stores a picture and returns its path. Earlier ones stay, because emails that were sent show them, but not all for
 * ever. The same one is stored only once.
 */
export async function storePicture(
  trx: Trx,
  waitlist: OwnWaitlist,
  { type, content, now }: Picture & { now: number },
): Promise<string> {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARACTERS);
  await trx
    .insertInto('waitlist_picture')
    .values({ waitlist_id: waitlist.internalId, digest, type, content, created_at: now })
    .onConflict((known) => known.columns(['waitlist_id', 'digest']).doUpdateSet({ created_at: now }))
    .execute();
  await forgetOldest(trx, waitlist.internalId, digest);
  return `/w/${waitlist.id}/pictures/${digest}.${EXTENSIONS[type]}`;
}

/** All but the newest, and never the one in use. */
async function forgetOldest(trx: Trx, waitlistId: number, inUse: string): Promise<void> {
  const old = await trx
    .selectFrom('waitlist_picture')
    .select('digest')
    .where('waitlist_id', '=', waitlistId)
    .where('digest', '<>', inUse)
    .orderBy('created_at', 'desc')
    .orderBy('digest')
    .offset(PICTURES_MAX - 1)
    .limit(PICTURES_MAX)
    .execute();
  if (old.length === 0) return;
  const digests = old.map(({ digest }) => digest);
  await trx
    .deleteFrom('waitlist_picture')
    .where('waitlist_id', '=', waitlistId)
    .where('digest', 'in', digests)
    .execute();
}

export async function findPicture(
  { db }: Context,
  waitlist: OwnWaitlist,
  digest: string,
): Promise<Picture | undefined> {
  return db.query
    .selectFrom('waitlist_picture')
    .select(['type', 'content'])
    .where('waitlist_id', '=', waitlist.internalId)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** The path of a picture that was uploaded for this waitlist, if a URL leads to one: it stays right when our own URL changes. */
export async function ownPicturePath(
  executor: Database['query'],
  waitlist: OwnWaitlist,
  url: string,
): Promise<string | undefined> {
  const [path, id, digest] = PATH.exec(url) ?? [];
  if (id !== waitlist.id || digest === undefined) return undefined;
  const row = await executor
    .selectFrom('waitlist_picture')
    .select('digest')
    .where('waitlist_id', '=', waitlist.internalId)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row && path;
}

/** As everyone can open it: an uploaded one is stored as a path. */
export function pictureUrl(stored: string | null, publicUrl: string): string | null {
  return stored?.startsWith('/') ? publicUrl + stored : stored;
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
type PictureType = (typeof PICTURE_TYPES)[number];

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Frame headers of JPEG. The other markers between C0 and CF hold tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** What kind of picture this is, by its content. Returns undefined for anything else, and for one without a size. */
export function pictureTypeOf(content: Buffer): PictureType | undefined {
  if (isPng(content)) return 'image/png';
  if (isJpeg(content)) return 'image/jpeg';
  return isWebp(content) ? 'image/webp' : undefined;
}

function isPng(content: Buffer): boolean {
  return (
    content.length > 33 &&
    content.subarray(0, 8).equals(PNG_START) &&
    textAt(content, 12) === 'IHDR' &&
    content.readUInt32BE(16) > 0 &&
    content.readUInt32BE(20) > 0
  );
}

/** Goes from segment to segment up to the frame, which has the size. */
function isJpeg(content: Buffer): boolean {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xffd8) return false;
  let at = 2;
  while (at + 9 <= content.length && content[at] === 0xff) {
    const marker = content[at + 1] ?? 0;
    if (isFrame(marker)) return content.readUInt16BE(at + 5) > 0 && content.readUInt16BE(at + 7) > 0;
    at += marker === 0xff ? 1 : 2 + content.readUInt16BE(at + 2);
  }
  return false;
}

function isWebp(content: Buffer): boolean {
  return (
    content.length > 30 &&
    textAt(content, 0) === 'RIFF' &&
    textAt(content, 8) === 'WEBP' &&
    ['VP8 ', 'VP8L', 'VP8X'].includes(textAt(content, 12))
  );
}

function textAt(content: Buffer, at: number): string {
  return content.toString('latin1', at, at + 4);
}
