import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { openContext } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { previewMail } from '../../src/mail/preview.ts';
import { MAIL_KINDS } from '../../src/mail/templates/kinds.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import { launchChromium } from './launch-chromium.ts';

const WIDTHS = { desktop: 640, phone: 375 };
const SENDING = { publicUrl: 'https://waitlist.acme.example', defaultFrom: 'hello@acme.example' };

/**
 * Takes screenshots of the default mails for the documentation: `node test/support/mail-pictures.ts
 * [FOLDER]`.
 */
const into = process.argv[2] ?? path.join(import.meta.dirname, '../../docs/emails');
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-pictures-'));
const clock = () => Date.UTC(2026, 10, 15, 9, 30);
const config = readConfig({ DOORLIST_DATA_DIR: directory });
const context = await openContext(config, createLogger('silent'), clock);
const browser = await launchChromium();
try {
  await createWaitlist(context, { id: 'wl_acme', name: 'Acme' });
  await updateMailSettings(context, 'wl_acme', {
    referralUrl: 'https://acme.example/?ref={referralCode}',
    footer: 'Acme Inc., 1 Example Street, Springfield',
  });
  const queue = await context.registry.queue('wl_acme', 'production');
  if (!queue) throw new Error('the waitlist is gone');
  for (const kind of MAIL_KINDS) {
    const { html } = await previewMail(context, queue, { kind }, SENDING);
    for (const [name, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        if (colorScheme === 'dark' && kind !== 'welcome') continue;
        const page = await browser.newPage({ viewport: { width, height: 300 }, colorScheme });
        await page.setContent(html);
        const dark = colorScheme === 'dark' ? '-dark' : '';
        await page.screenshot({ path: path.join(into, `${kind}-${name}${dark}.png`), fullPage: true });
        await page.close();
      }
    }
  }
  const { html } = await previewMail(context, queue, { kind: 'welcome', language: 'ja' }, SENDING);
  const page = await browser.newPage({ viewport: { width: WIDTHS.phone, height: 300 } });
  await page.setContent(html);
  await page.screenshot({ path: path.join(into, 'welcome-phone-ja.png'), fullPage: true });
} finally {
  await browser.close();
  await context.db.close();
  rmSync(directory, { recursive: true, force: true });
}
