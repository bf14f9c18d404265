import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, useDashboard } from '../support/dashboard.ts';
import { clientFor } from '../support/harness.ts';
import { type Browser, browserOf } from '../support/operators.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

interface Health {
  findings: { what: string; ok: boolean; level: string; detail: string; link?: string }[];
}

describe('the demo, as its visitors find it', () => {
  const dir = path.join(mkdtempSync(path.join(tmpdir(), 'doorlist-demo-')), 'demo');
  const openDashboard = useDashboard();
  let demo: RunningProcess;
  let owner: Browser;
  before(async () => {
    demo = await startProcess(
      { DOORLIST_LOG_LEVEL: 'error' },
      { words: ['demo', '--dir', dir, '--entries', '400'] },
    );
    const [, email = ''] = /Email +(\S+)/.exec(demo.output()) ?? [];
    const [, password = ''] = /Password +(\S+)/.exec(demo.output()) ?? [];
    owner = browserOf(clientFor(demo.url));
    assert.equal((await owner.signIn(email, password)).status, 200);
  });
  after(async () => {
    await demo?.stop();
    rmSync(path.dirname(dir), { recursive: true });
  });

  it('lets a visitor join, and catches the email with the link to confirm', async () => {
    const form = /http:\S+\/w\/wl_orbit/.exec(demo.output())?.[0];
    assert.ok(form, demo.output());
    const visitor = await openDashboard(demo, new URL(form).pathname);
    await visitor.getByLabel('Email').fill('visitor@example.com');
    await visitor.getByRole('button', { name: 'Join the waitlist' }).click();
    await visitor.getByRole('heading', { name: 'Check your inbox' }).waitFor();

    const page = await openDashboard(demo, '/instance/mailbox', { as: owner });
    await page.getByRole('row', { name: /visitor@example\.com/ }).click();
    await page.getByRole('dialog').getByText('Sent', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'Plain text' }).click();
    const link = /http:\S+\/confirm\/\S+/.exec(await page.locator('pre').innerText())?.[0];
    assert.ok(link);
    await visitor.goto(new URL(link).pathname);
    await visitor.getByRole('button', { name: 'Confirm' }).click();
    await visitor.getByRole('heading', { name: 'Your email is confirmed' }).waitFor();
    await checkEverywhere(page, 'the mailbox of the demo');
    await visitor.close();
    await page.close();
  });

  it('warns of one thing: a webhook endpoint that fails now and then', async () => {
    const { findings } = (await owner.get<Health>('/health')).body;
    assert.deepEqual(
      findings.filter(({ ok }) => !ok),
      [],
    );
    const others = findings.filter(({ what, level }) => level !== 'fine' && !/^webhook/.test(what));
    assert.deepEqual(others, []);
    const endpoints = findings.filter(({ what }) => what === 'webhook endpoint');
    assert.deepEqual(
      endpoints.map(({ level }) => level),
      ['warning'],
    );
    const { body } = await owner.get<{ warnings: unknown }>('/waitlists/wl_orbit/mail/status');
    assert.deepEqual(body.warnings, []);
  });

  it('has a wave on each waitlist that has run, and runs again', async () => {
    for (const list of ['wl_orbit', 'wl_orbit_teams']) {
      const { waves } = (await owner.get<{ waves: Record<string, unknown>[] }>(`/waitlists/${list}/waves`))
        .body;
      assert.equal(waves.length, 1, list);
      const [wave] = waves;
      assert.equal(wave?.state, 'scheduled');
      assert.ok(
        Number(wave?.invited) > 0 && Number(wave?.joined) > 0 && wave?.nextRunAt,
        JSON.stringify(wave),
      );
    }
  });
});
