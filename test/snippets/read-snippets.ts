import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/snippets.md'), 'utf8');

/** The blocks of code below a heading. */
export function snippets(heading: string): string[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const blocks = [...(section.split(/\n##/)[0] ?? '').matchAll(/```[a-z]+\n(.*?)```/gs)];
  assert.ok(blocks.length > 0, heading);
  return blocks.map(([, code = '']) => code);
}
