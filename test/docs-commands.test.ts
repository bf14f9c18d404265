import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { blur, type Installation, installFor, PAGES, readPage, stepsOf } from './support/page-commands.ts';
import { without } from './support/programs.ts';
import { jsonOf } from './support/terminal.ts';
import { LOOPBACK } from './support/webhooks.ts';

/** Pages that start with an empty installation. All others talk about an existing waitlist. */
const FROM_NOTHING = ['README.md', 'docs/automation.md'];

/** Says whether a server holds the lock, which a process cannot ask about itself. */
const LOCKED = 'docs/operations.md';

const VARIABLES = { ...LOOPBACK, DOORLIST_BACKUP_PASSPHRASE: 'a long passphrase' };

/** The first id of this kind that a command prints. */
const firstId = (kind: string, words: string) =>
  `$(npm run -s doorlist -- ${words} --json | jq -r 'first(.. | strings | select(startswith("${kind}_")))')`;

const lastId = (kind: string, words: string) => firstId(kind, words).replace('first(', 'last(');

/** Of `npm start`. */
const START_ANSWER = stepsOf(readPage('README.md')).left[0]?.answer ?? '';

const SIGN_UP = stepsOf(readPage('docs/snippets.md')).run[0]?.command.replace('ada@', 'alan@').trimEnd();
const SHOW_CONFIRMATION = `npm run -s doorlist -- mail show ${firstId('evt', 'mail list --waitlist wl_acme')} --waitlist wl_acme`;

/** What readers fill in, by page. */
const FILLED_IN: Record<string, Record<string, string>> = {
  'README.md': { 'CODE=x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f': 'CODE=$(head -1 4.out)' },
  'docs/admin.md': { MAIL_ID: firstId('evt', 'operator mails') },
  'docs/emails.md': {
    evt_06gxx2p9r1yn1vp1ryss481fhw: firstId('evt', 'mail list --waitlist wl_acme'),
    $CONFIRM_TOKEN: `$(${SIGN_UP} > confirm.out; ${SHOW_CONFIRMATION} | sed -n 's/.*token=\\([[:alnum:]_-]*\\).*/\\1/p')`,
  },
  'docs/import-export.md': {
    ent_06gxt70m92fyr61bknyzc036bc: firstId('ent', 'entry list --waitlist wl_acme'),
  },
  'docs/operations.md': { '/backups/': './', KEY_ID: lastId('key', 'key list') },
  'docs/queue.md': { CODE_OR_ID: firstId('inv', 'invite list --waitlist wl_acme') },
  'docs/waves.md': { 'wav_…': firstId('wav', 'wave list --waitlist wl_acme') },
  'docs/webhooks.md': {
    'whe_…': firstId('whe', 'webhook list --waitlist wl_acme --env production'),
    'evt_…': lastId('evt', 'webhook deliveries'),
  },
};

/** Blocks that cannot run here: they install, need PostgreSQL or something broken, or never end. All others do. */
const NOT_RUN: Record<string, number> = {
  'README.md': 2,
  'docs/admin.md': 1,
  'docs/dashboard.md': 1,
  'docs/emails.md': 7,
  'docs/import-export.md': 3,
  'docs/migrate.md': 1,
  'docs/operations.md': 7,
  'docs/queue.md': 3,
  'docs/scaling.md': 3,
  'docs/systemd.md': 6,
  'docs/upgrade.md': 1,
  'docs/webhooks.md': 1,
  'packages/client/README.md': 1,
};

describe('commands in the documentation', () => {
  it('are left out only where they cannot run', () => {
    const left = PAGES.map((page) => [page, stepsOf(readPage(page)).left.length] as const);
    assert.deepEqual(Object.fromEntries(left.filter(([, count]) => count > 0)), NOT_RUN);
  });

  for (const page of PAGES) {
    const { run } = stepsOf(readPage(page));
    if (run.length === 0) continue;
    it(`work in order and print what ${page} shows`, { skip: without('curl', 'jq') }, async (test) => {
      const installation = await installFor(VARIABLES, { ownProcess: page === LOCKED });
      test.after(installation.close);
      if (page === 'README.md')
        assert.equal(blur(fromCheckout(installation.server.output())).trim(), blur(START_ANSWER));
      const given = FROM_NOTHING.includes(page) ? ':' : await prepare(page, installation);
      const [, ...printed] = await installation.run([
        given,
        ...run.map((step) => local(page, step.command, installation)),
      ]);
      for (const [index, { command, answer }] of run.entries()) {
        if (answer !== undefined)
          assert.equal(
            blur(fromCheckout(printed[index] ?? '')),
            blur(local(page, answer, installation)),
            command,
          );
      }
    });
  }
});

/** What is printed where readers are: here it runs in another directory than that of the checkout. */
function fromCheckout(printed: string): string {
  return printed
    .replace(/^ {2}export DOORLIST_DATA_DIR=.*\n/m, '')
    .replaceAll(/DOORLIST_DATA_DIR=\S+ (?=\S+\/bin\/doorlist )/g, '')
    .replaceAll(path.join(import.meta.dirname, '../bin/doorlist'), 'npm run -s doorlist --');
}

/** The text of a page for this machine. */
function local(page: string, shown: string, { server }: Installation): string {
  let text = shown
    .replaceAll('http://127.0.0.1:3000', server.url)
    .replaceAll('https://doorlist.example.com', server.url)
    .replaceAll(/https:\/\/(app\.)?example\.com\/hooks/g, 'http://127.0.0.1:9/hooks');
  for (const [placeholder, value] of Object.entries(FILLED_IN[page] ?? {}))
    text = text.replaceAll(placeholder, value);
  return text;
}

/** A waitlist with two people, a token for the admin API, and the files that pages name. */
async function prepare(page: string, { environment, server }: Installation): Promise<string> {
  const here = (...words: string[]) => jsonOf<Record<string, string>>(environment, ...words);
  await here('waitlist', 'create', 'wl_acme', '--name', 'Acme');
  const { key } = await here('key', 'create', '--waitlist', 'wl_acme', '--env', 'production', '--read');
  const { token } = await here('admin-token', 'create', '--name', 'docs', '--role', 'admin');
  if (page === 'docs/emails.md') {
    await here('mail', 'settings', '--waitlist', 'wl_acme', '--kinds', 'confirm,welcome,invite');
  }
  await fetch(`${server.url}/sdk/v1/waitlist/signup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      waitlistId: 'wl_acme',
      entries: [
        { email: 'ada@example.com' },
        { email: 'grace@example.com', metadata: { plan: 'pro' }, referredBy: 'ada@example.com' },
      ],
    }),
  });
  writeFileSync('people.csv', 'email,source\nalan@example.com,newsletter\nedsger@example.com,talk\n');
  writeFileSync('members.csv', 'Mail,Signed up,Company,Notes\nbarbara@example.com,2026-01-31,Acme,-\n');
  writeFileSync('welcome.md', 'Hello, you are number {{ position }}.\n');
  return `TOKEN='${token}' DOORLIST_URL='${server.url}' DOORLIST_PUBLIC_URL='${server.url}' DOORLIST_KEY='${key}'`;
}
