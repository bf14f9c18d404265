export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

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
