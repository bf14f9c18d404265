import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { checkEverywhere, type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { eventually, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

/** What the browser itself says. */
const REFUSED = 'Failed to load resource: the server responded with a status of 412 (Precondition Failed)';

/** A form of stored settings, one field that both edit, and one that only the other one does. */
interface SharedForm {
  /** Its file, for `test/dashboard/settings-forms.test.ts`. */
  source: string;
  /** Of the page. */
  at: string;
  /** What opens the form, if it is a dialog. */
  open?: (page: DashboardPage) => Promise<unknown>;
  /** Label of the field, what is typed here, and what it then says of it. */
  field: string;
  typed: string;
  mine?: string;
  /** How a field is filled that is no text. */
  fill?: (page: DashboardPage, form: Locator, value: string) => Promise<unknown>;
  /** What the other one saves meanwhile, and how that is typed and reads. */
  path: string;
  theirs: object;
  said: string;
  /** The same, for a field that is not edited here. Missing if there is only one. */
  besides?: { theirs: object; label: string };
  /** Of what is stored. */
  stored: (settings: never) => unknown;
  /** What is stored once mine was kept, and theirs taken. */
  kept: unknown;
  taken: unknown;
}

// Pages do not know the engine.
forEachEngine((engine) => {
  if (engine !== 'sqlite') return;
  let service: Service;
  let owner: Browser;
  let admin: Browser;
  let list: List;
  const ids: Record<string, string> = {};
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
    admin = await join(service, owner, 'admin', 'admin@example.com');
    list = await service.waitlist({ name: 'Acme' });
    const base = `/waitlists/${list.id}`;
    const created = async (what: string, body: object) =>
      (await owner.post<{ id: string }>(`${base}/${what}`, body)).body.id;
    ids.wave = await created('waves', { name: 'Trickle', keepOpen: 3 });
    ids.code = await created('codes', { code: 'FRIENDS', limit: 5 });
    ids.endpoint = await created('webhooks', { url: 'https://example.com/hook' });
    await owner.patch(`${base}/form`, { enabled: true });
  });
  after(() => service.close());

  const click = (name: string) => (page: DashboardPage) =>
    page.getByRole('button', { name, exact: true }).click();
  const base = () => `/waitlists/${list.id}`;
  const FORMS: Record<string, () => SharedForm> = {
    'the settings of a waitlist': () => ({
      source: 'settings/waitlist-settings-form.tsx',
      at: `${base()}/settings`,
      field: 'Places per referral',
      typed: '7',
      path: base(),
      theirs: { boost: 42 },
      said: '42',
      besides: { theirs: { referralCap: 5 }, label: 'Referral limit per person' },
      stored: ({ boost }: { boost: number }) => boost,
      kept: 7,
      taken: 42,
    }),
    'the settings of emails': () => ({
      source: 'emails/mail-settings-form.tsx',
      at: `${base()}/emails?tab=settings`,
      field: 'Footer',
      typed: 'Mine Inc.',
      path: `${base()}/mail/settings`,
      theirs: { footer: 'Theirs Inc.' },
      said: 'Theirs Inc.',
      besides: { theirs: { language: 'de' }, label: 'Language' },
      stored: ({ footer }: { footer: string }) => footer,
      kept: 'Mine Inc.',
      taken: 'Theirs Inc.',
    }),
    'the form': () => ({
      source: 'form/form-settings.tsx',
      at: `${base()}/form`,
      field: 'Headline',
      typed: 'Mine',
      path: `${base()}/form`,
      theirs: { headline: 'Theirs' },
      said: 'Theirs',
      besides: {
        theirs: { fields: [{ name: 'city', label: 'City', type: 'text', required: false }] },
        label: 'Fields',
      },
      stored: ({ headline }: { headline: string }) => headline,
      kept: 'Mine',
      taken: 'Theirs',
    }),
    'the look of a form': () => ({
      source: 'form/form-settings.tsx',
      at: `${base()}/form`,
      field: 'Color',
      typed: '#112233',
      path: `${base()}/mail/settings`,
      theirs: { colour: '#445566' },
      said: '#445566',
      stored: ({ colour }: { colour: string }) => colour,
      kept: '#112233',
      taken: '#445566',
    }),
    'the sites of a form': () => ({
      source: 'form/origins-card.tsx',
      at: `${base()}/form?tab=install`,
      field: 'Allowed origins',
      typed: 'https://mine.example',
      mine: 'https://mine.example\nhttps://theirs.example', // Sites that were allowed meanwhile are added.
      path: `${base()}/form`,
      theirs: { allowedOrigins: ['https://theirs.example'] },
      said: 'https://theirs.example',
      stored: ({ allowedOrigins }: { allowedOrigins: string[] }) => allowedOrigins.join(),
      kept: 'https://mine.example,https://theirs.example',
      taken: 'https://theirs.example',
    }),
    'a code': () => ({
      source: 'codes/code-form.tsx',
      at: `${base()}/codes`,
      open: async (page) => {
        await page.getByRole('button', { name: 'Actions for FRIENDS' }).click();
        await page.getByRole('menuitem', { name: 'Edit…' }).click();
      },
      field: 'Limit',
      typed: '7',
      path: `${base()}/codes/${ids.code}`,
      theirs: { limit: 42 },
      said: '42',
      besides: { theirs: { tag: 'podcast' }, label: 'Tag' },
      stored: ({ limit }: { limit: number }) => limit,
      kept: 7,
      taken: 42,
    }),
    'the plan of a wave': () => ({
      source: 'waves/wave-form.tsx',
      at: `${base()}/waves/${ids.wave}`,
      open: click('Edit'),
      field: 'Open invites',
      typed: '20',
      path: `${base()}/waves/${ids.wave}`,
      theirs: { keepOpen: 50 },
      said: '50',
      besides: { theirs: { name: 'Renamed' }, label: 'Name' },
      stored: ({ keepOpen }: { keepOpen: number }) => keepOpen,
      kept: 20,
      taken: 50,
    }),
    'a webhook endpoint': () => ({
      source: 'webhooks/endpoint-form.tsx',
      at: `${base()}/webhooks/${ids.endpoint}`,
      open: async (page) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
      },
      field: 'Description',
      typed: 'Mine',
      path: `${base()}/webhooks/${ids.endpoint}`,
      theirs: { description: 'Theirs' },
      said: 'Theirs',
      besides: { theirs: { rateLimit: 9 }, label: 'Rate limit' },
      stored: ({ description }: { description: string }) => description,
      kept: 'Mine',
      taken: 'Theirs',
    }),
    alerts: () => ({
      source: 'health/alerts-card.tsx',
      at: '/instance/health',
      open: async (page) => {
        await page
          .getByRole('button', { name: /^(Set up|Change)$/ })
          .first()
          .click();
      },
      field: 'Webhook URL',
      typed: 'https://example.com/mine',
      path: '/health/alerts',
      theirs: { webhookUrl: 'https://example.com/theirs' },
      said: 'https://example.com/theirs',
      besides: { theirs: { emails: true }, label: 'Email owners and admins' },
      stored: ({ webhookUrl }: { webhookUrl: string }) => webhookUrl,
      kept: 'https://example.com/mine',
      taken: 'https://example.com/theirs',
    }),
    'the time zone of the installation': () => ({
      source: 'health/instance-card.tsx',
      at: '/instance/health',
      open: async (page) => {
        await page
          .getByRole('region', { name: 'Installation' })
          .or(page.locator('section').filter({ hasText: 'Time zone of charts' }))
          .getByRole('button', { name: 'Change' })
          .click();
      },
      field: 'Time zone',
      typed: 'Asia/Tokyo',
      fill: async (page, form, zone) => {
        await form.getByRole('combobox', { name: 'Time zone' }).click();
        await page.keyboard.type(zone);
        await page.getByRole('option', { name: zone }).click();
      },
      path: '/instance',
      theirs: { defaultTimeZone: 'Europe/Berlin' },
      said: 'Europe/Berlin',
      stored: ({ defaultTimeZone }: { defaultTimeZone: string }) => defaultTimeZone,
      kept: 'Asia/Tokyo',
      taken: 'Europe/Berlin',
    }),
    'the limits of bounces': () => ({
      source: 'emails/limits-dialog.tsx',
      at: `${base()}/emails?tab=delivery`,
      open: click('Change limits'),
      field: 'Hard bounces (%)',
      typed: '3',
      path: `${base()}/mail/sending`,
      theirs: { bouncePercent: 9 },
      said: '9',
      besides: { theirs: { complaintPercent: null }, label: 'Spam complaints (%)' },
      stored: ({ bouncePercent }: { bouncePercent: number }) => bouncePercent,
      kept: 3,
      taken: 9,
    }),
    'a warm-up': () => ({
      source: 'emails/warm-up-card.tsx',
      at: `${base()}/emails?tab=delivery`,
      open: async (page) => {
        await page
          .locator('section')
          .filter({ hasText: 'Warm-up' })
          .getByRole('button', { name: /^(Start a warm-up|Change)$/ })
          .click();
      },
      field: 'Most emails a day',
      typed: '700',
      path: `${base()}/mail/sending`,
      theirs: { warmUp: { start: 50, to: 900 } },
      said: '900',
      stored: ({ warmUp }: { warmUp: { to: number } | null }) => warmUp?.to,
      kept: 700,
      taken: 900,
    }),
  };

  for (const [name, make] of Object.entries(FORMS))
    it(`are both shown before one replaces the other: ${name}`, async () => {
      const shared = make();
      const { at, open, field, typed, mine = typed, path, theirs, said, besides } = shared;
      const before = (await owner.get<Record<string, unknown>>(path)).body;
      const names = Object.keys({ ...theirs, ...besides?.theirs });
      const restore = () =>
        owner.patch(path, Object.fromEntries(names.map((each) => [each, before[each] ?? null])));
      const stored = async () => shared.stored((await owner.get(path)).body as never);
      const page = await openDashboard(service, at, { as: owner });
      const begin = async (on = page, value = typed) => {
        await on.goto(at);
        await open?.(on);
        const form = open ? on.getByRole('dialog') : on.locator('main');
        const edit = () => form.getByLabel(field, { exact: true }).fill(value);
        await (shared.fill?.(on, form, value) ?? edit());
        return form;
      };
      const save = async (form: Locator) =>
        form.getByRole('button', { name: /^(Save|Save changes|Save plan|Start)$/ }).click();
      const told = (form: Locator) => form.getByText('Not saved: somebody else has changed this');

      let form = await begin();
      if (besides) await owner.patch(path, besides.theirs);
      const other = await openDashboard(service, at, { as: admin });
      await save(await begin(other, said));
      assert.deepEqual(await eventually(stored, (value) => value === shared.taken), shared.taken);
      assert.deepEqual(other.problems, []);
      await other.close();
      await save(form);
      await told(form).waitFor();
      const versions = (label: string) =>
        form.locator('div:has(> dl)').filter({ has: page.getByText(label, { exact: true }) });
      assert.deepEqual(await versions(field).locator('dd').allInnerTexts(), [said, mine]);
      if (besides) assert.match(await versions(besides.label).innerText(), /Mine\s+Not changed/);
      assert.equal(await stored(), shared.taken, 'nothing was replaced');
      assert.deepEqual(page.problems.splice(0), [REFUSED]);
      await checkEverywhere(page, name);
      await page.setViewportSize({ width: 1280, height: 860 });
      await form.getByRole('button', { name: 'Keep mine' }).click();
      await told(form).waitFor({ state: 'detached' });
      assert.equal(await stored(), shared.kept);
      const after = (await owner.get<Record<string, unknown>>(path)).body;
      for (const [each, value] of Object.entries(besides?.theirs ?? {}))
        assert.deepEqual(after[each], value, 'what was not edited here stays as they saved it');

      await restore();
      form = await begin();
      await owner.patch(path, theirs);
      await save(form);
      await told(form).waitFor();
      await form.getByRole('button', { name: 'Take theirs' }).click();
      await told(form).waitFor({ state: 'detached' });
      if (!shared.fill) assert.equal(await form.getByLabel(field, { exact: true }).inputValue(), said);
      assert.equal(await stored(), shared.taken);

      if (besides) {
        await restore();
        form = await begin();
        await owner.patch(path, besides.theirs);
        await save(form);
        await told(form).waitFor();
        await form.getByRole('button', { name: 'Save mine too' }).click();
        await told(form).waitFor({ state: 'detached' });
        assert.equal(await stored(), shared.kept);
      }
      await page.close();
    });
});
