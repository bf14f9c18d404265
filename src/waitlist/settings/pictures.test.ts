import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pictureTypeOf } from './pictures.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOosXoLAALZAaQGKdQKAAAAAElFTkSuQmCC',
  'base64',
);
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9', 'hex');
const webp = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WEBPVP8L', 'latin1'), Buffer.alloc(24)]);

it('tells pictures by their content', () => {
  assert.equal(pictureTypeOf(png), 'image/png');
  assert.equal(pictureTypeOf(jpeg), 'image/jpeg');
  assert.equal(pictureTypeOf(webp), 'image/webp');
});

it('takes nothing else for a picture', () => {
  const flat = Buffer.from(png);
  flat.writeUInt32BE(0, 16);
  const others = [
    Buffer.alloc(0),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    Buffer.from(`GIF89a${' '.repeat(60)}`),
    png.subarray(0, 20),
    flat,
    jpeg.subarray(0, 20),
    Buffer.from('ffd8ff', 'hex'),
    Buffer.from(`RIFF....AVI LIST${' '.repeat(60)}`),
  ];
  for (const other of others) assert.equal(pictureTypeOf(other), undefined, other.toString('latin1'));
});
