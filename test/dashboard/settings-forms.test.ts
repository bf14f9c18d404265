import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { OPERATIONS } from '../../src/operations/all.ts';
import { methodOf, pathOf } from '../../src/operations/core/operation.ts';

const SOURCES = path.join(import.meta.dirname, '../../web/src');

/** Changes that cannot replace what somebody else has written, and why. */
const WITHOUT: Record<string, string> = {
  'PATCH /me': 'nobody else changes it',
  'PATCH /waitlists/:waitlistId/entries/:entryId': 'a person; the metadata editor compares by itself',
  'PATCH /waitlists/:waitlistId/segments/:segmentId': 'only its name, which is the whole form',
  'PATCH /operators/:operatorId': 'only a role, which is the whole form',
  'PATCH /waitlists/:waitlistId/gate-keys/:gateKeyId': 'a switch',
  'PATCH /waitlists/:waitlistId/mail-event-keys/:mailEventKeyId': 'a switch, or a topic that is reset',
  'PUT /health/confirmations': 'one confirmation at a time',
};

interface Change {
  file: string;
  operation: string;
  /** What is sent. */
  call: string;
}

/** Every PATCH and PUT of the dashboard. */
function changes(): Change[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .flatMap((file) => {
      const text = readFileSync(path.join(SOURCES, file), 'utf8');
      return [...text.matchAll(/api\.(PATCH|PUT)\(\s*('[^']+'|[A-Z_]+)/g)].map(
        ([all, method, where = ''], at) => {
          const named = new RegExp(`const ${where} =\\s*'([^']+)'`).exec(text)?.[1] ?? where.slice(1, -1);
          const route = named.replace('/admin/v1', '').replace(/\{(\w+)\}/g, ':$1');
          const index = [...text.matchAll(/api\.(PATCH|PUT)\(/g)][at]?.index ?? 0;
          // The function that it is in: its parameters can be made a line above.
          const call = text.slice(Math.max(0, index - 300), index + all.length + 300);
          return { file, operation: `${method} ${route}`, call };
        },
      );
    });
}

it('sends the ETag of what a form shows with every change of settings', () => {
  const found = changes();
  assert.ok(found.length > 15, String(found.length));
  const tagged = new Set(
    OPERATIONS.filter(({ settings }) => settings).map(
      (operation) => `${methodOf(operation)} ${pathOf(operation)}`,
    ),
  );
  /** Switches of one setting, which leave all others as they are. */
  const SWITCHES = ['pages/settings/danger-zone.tsx', 'pages/team/support-card.tsx'];
  for (const { file, operation, call } of found) {
    if (tagged.has(operation)) {
      if (!SWITCHES.includes(file)) assert.match(call, /ifMatch\(|'If-Match'/, `${file}: ${operation}`);
    } else
      assert.ok(
        operation in WITHOUT,
        `${file}: ${operation} has no ETag: declare its settings, or say why not`,
      );
  }
  const known = new Set(found.map(({ operation }) => operation));
  assert.deepEqual(
    Object.keys(WITHOUT).filter((operation) => !known.has(operation)),
    [],
    'no longer needed',
  );
});

it('shows both versions wherever a form has stored settings, and is tried in a browser', () => {
  const forms = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => ({ file, text: readFileSync(path.join(SOURCES, file), 'utf8') }))
    .filter(({ text }) => /useSettings[<(]/.test(text));
  const shared = forms.filter(({ text }) => /\bothers: \{/.test(text)).map(({ file }) => file);
  const alone = forms.map(({ file }) => file).filter((file) => !shared.includes(file));
  assert.deepEqual(alone, ['pages/account/profile-card.tsx'], 'nobody else changes one’s own profile');
  const journeys = readFileSync(
    path.join(import.meta.dirname, '../browser/changed-meanwhile.test.ts'),
    'utf8',
  );
  const tried = [...journeys.matchAll(/source: '([^']+)'/g)].map(([, file]) => `pages/${file}`);
  assert.deepEqual(shared.toSorted(), [...new Set(tried)].sort());
});
