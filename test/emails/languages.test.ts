import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LANGUAGES, type Language, textsIn } from '../../src/languages/languages.ts';
import { parseEmail } from '../../src/lib/email.ts';
import { listMails, showMail } from '../../src/mail/mailbox.ts';
import { previewMail } from '../../src/mail/preview.ts';
import type { MailKind } from '../../src/mail/templates/kinds.ts';
import {
  checkTemplate,
  resetTemplate,
  saveTemplate,
  showTemplate,
  templateVersions,
} from '../../src/mail/templates.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import type { Metadata } from '../../src/waitlist/people/person.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { openSignups } from '../../src/waitlist/signup/signup.ts';
import { exportPerson } from '../../src/waitlist/transfer/export/export-person.ts';
import { presentPerson } from '../../src/wire/export.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const SENDING = { publicUrl: 'https://doorlist.example', defaultFrom: 'hello@acme.example' };
const KINDS: MailKind[] = [
  ...(['confirm', 'welcome', 'moved-up', 'invite', 'invite-reminder', 'accepted', 'declined'] as const),
];

forEachEngine((engine) => {
  describe('the languages of people', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    const mailsOf = async (list: List) => {
      const queue = await list.queue();
      const { mails } = await listMails(service.context, queue, { limit: 50 });
      const shown = await Promise.all(
        mails.map(({ id }) => showMail(service.context, queue, id, SENDING).then(({ mail }) => mail)),
      );
      return new Map(shown.map((mail) => [mail?.to, mail]));
    };
    const mailingList = async (settings: Parameters<typeof updateMailSettings>[2] = {}) => {
      const list = await service.waitlist();
      await updateMailSettings(service.context, list.id, { kinds: ['welcome', 'invite'], ...settings });
      return list;
    };
    /** As the hosted form does. */
    const signUp = async (
      list: List,
      email: string,
      language: Language,
      metadata: Metadata | null = null,
    ) => {
      const signups = openSignups(service.context, 100);
      const person = { email: parseEmail(email) ?? null, phone: null, metadata, referrer: null, language };
      await signups.submit(await list.queue(), [person]);
    };

    it('decide about the language of a default email: page, metadata, waitlist, English', async () => {
      const list = await mailingList({ language: 'es' });
      await signUp(list, 'page@example.com', 'ja', { language: 'fr' });
      await list.signup(
        { email: 'language@example.com', metadata: { language: 'pt-BR', locale: 'de' } },
        { email: 'locale@example.com', metadata: { language: 'tlh', locale: 'zh_CN' } },
        { email: 'list@example.com', metadata: { language: 42, locale: { de: 1 } } },
      );
      const mails = await mailsOf(list);
      const subjects = ['page', 'language', 'locale', 'list'].map(
        (name) => mails.get(`${name}@example.com`)?.subject,
      );
      assert.deepEqual(subjects, [
        '【Acme】ウェイトリストに登録されました',
        'Você está na lista de espera de Acme',
        '你已加入 Acme 的候补名单',
        'Estás en la lista de espera de Acme',
      ]);
      assert.match(mails.get('page@example.com')?.html ?? '', /<html lang="ja" dir="ltr">/);
      assert.match(mails.get('locale@example.com')?.text ?? '', /退订或退出候补名单: https:/);

      const statusPath = /查看我的排位: https:\/\/doorlist\.example(\/s\/[\w-]+)/.exec(
        mails.get('locale@example.com')?.text ?? '',
      )?.[1];
      const status = await service.request('GET', statusPath ?? '', {
        headers: { accept: 'text/html', 'accept-language': 'zh-CN' },
      });
      assert.equal(status.status, 200);
      assert.match(status.text, /lang="zh-Hans"/);
      assert.match(mails.get('locale@example.com')?.html ?? '', /\/s\/[\w-]+"[^>]*>查看我的排位<\/a>/);

      const english = await mailingList();
      await english.signup({ email: 'nobody-knows@example.com' });
      assert.match((await mailsOf(english)).get('nobody-knows@example.com')?.subject ?? '', /^You are on/);
    });

    it('apply to later emails, too, and to invites of people who never signed up only through the waitlist', async () => {
      const list = await mailingList({ kinds: ['invite'], language: 'fr' });
      await signUp(list, 'ada@example.com', 'de');
      await list.invite('ada@example.com', { expiresAt: service.clock.now + 60_000 });
      await list.invite('stranger@example.com');
      const mails = await mailsOf(list);
      assert.equal(mails.get('ada@example.com')?.subject, 'Deine Einladung zu Acme');
      assert.match(
        mails.get('ada@example.com')?.text ?? '',
        /läuft am 15\.\u00a0November 2026 um 09:31\u00a0UTC ab/,
      );
      assert.equal(mails.get('stranger@example.com')?.subject, 'Votre invitation à Acme');
    });

    it('run from right to left where the operator writes so, whatever people signed up with', async () => {
      const list = await mailingList();
      const queue = await list.queue();
      await list.signup({ email: 'ada@example.com', metadata: { name: 'עדה' } });
      const preview = async (body: string) => {
        const draft = { subject: 'שלום', body };
        const input = { kind: 'welcome', entry: 'ada@example.com', draft } as const;
        return (await previewMail(service.context, queue, input, SENDING)).html;
      };
      const hebrew = await preview(
        '{{ metadata.name | default: "hi" }} [שלום](https://acme.example)\n\n- אחת\n\n> שתיים\n',
      );
      assert.match(hebrew, /<html lang="en" dir="ltr">.*<td dir="rtl" style="padding:36px/s);
      assert.match(hebrew, /<ul [^>]*padding:0 24px 0 0">/);
      assert.match(hebrew, /padding:0 16px 0 0;border-right:3px/);
      const english = await preview('{{ metadata.name }}, welcome\n\n- one\n\n> two\n');
      assert.match(english, /<td dir="ltr" style="padding:36px.*<p [^>]*>עדה, welcome/s);
      assert.match(english, /<ul [^>]*padding:0 0 0 24px">/);
    });

    it('keep the default of a language until its own template is edited, and mark what is out of date', async () => {
      const list = await mailingList({ language: 'fr' });
      const { context } = service;
      const save = (subject: string, language?: Language) =>
        saveTemplate(context, list.id, 'welcome', { subject, body: `${subject}.` }, language);
      const states = async () => {
        const { languages } = await showTemplate(context, list.id, 'welcome');
        return languages.filter(({ isDefault }) => !isDefault).map((one) => [one.language, one.isOutdated]);
      };
      const subjectsOf = async () => {
        const one = await mailsOf(list);
        return ['fr', 'de', 'ja', 'none'].map((name) => one.get(`${name}@example.com`)?.subject);
      };
      await save('Coucou');
      for (const language of ['fr', 'de', 'ja'] as const)
        await signUp(list, `${language}@example.com`, language);
      await list.signup({ email: 'none@example.com' });
      const [french, german, japanese, none] = await subjectsOf();
      assert.deepEqual([french, none], ['Coucou', 'Coucou']);
      assert.match(german ?? '', /^Du stehst/);
      assert.match(japanese ?? '', /ウェイトリスト/);
      const mail = (await mailsOf(list)).get('fr@example.com');
      assert.match(mail?.text ?? '', /^Coucou\..*Vous recevez cet e‑mail/s);
      assert.deepEqual(await states(), [['fr', false]]);

      await save('Hallo', 'de');
      assert.deepEqual(await states(), [
        ['fr', false],
        ['de', false],
      ]);
      await save('Salut', 'fr');
      assert.deepEqual(await states(), [
        ['fr', false],
        ['de', true],
      ]);
      const queue = await list.queue();
      const preview = (language: Language) =>
        previewMail(context, queue, { kind: 'welcome', language }, SENDING);
      assert.deepEqual([(await preview('de')).subject, (await preview('fr')).subject], ['Hallo', 'Salut']);
      assert.match((await preview('es')).subject, /lista de espera/);
      const draft = { subject: 'Servus', body: 'Servus.' };
      const shown = await previewMail(context, queue, { kind: 'welcome', language: 'de', draft }, SENDING);
      assert.deepEqual([shown.subject, /<html lang="de"/.test(shown.html)], ['Servus', true]);
      const versions = await templateVersions(context, list.id, 'welcome', 'de');
      assert.deepEqual(
        versions.map(({ subject }) => subject),
        ['Hallo'],
      );

      await updateMailSettings(context, list.id, { language: 'de' });
      assert.equal((await showTemplate(context, list.id, 'welcome')).subject, 'Hallo');
      assert.equal((await showTemplate(context, list.id, 'welcome', 'fr')).subject, 'Salut');
      assert.deepEqual(await states(), [
        ['de', false],
        ['fr', false],
      ]);
      await resetTemplate(context, list.id, 'welcome', 'de');
      assert.match((await showTemplate(context, list.id, 'welcome')).subject, /^Du stehst/);
      assert.deepEqual(await states(), [['fr', false]]);
    });

    it('leave a template that nobody translated in the language of the waitlist, whatever that becomes', async () => {
      const list = await mailingList();
      await saveTemplate(service.context, list.id, 'welcome', { subject: 'Hallo', body: 'Hallo.' });
      await updateMailSettings(service.context, list.id, { language: 'de' });
      const { subject, language, isDefault } = await showTemplate(service.context, list.id, 'welcome');
      assert.deepEqual([subject, language, isDefault], ['Hallo', 'de', false]);
    });

    it('are sealed with the person, shown to them, and to nobody through the API', async () => {
      const list = await mailingList();
      await signUp(list, 'ada@example.com', 'ja');
      const { body } = await list.lookup('ada@example.com');
      assert.equal('language' in body, false);
      const held = presentPerson(await exportPerson(service.context, await list.queue(), 'ada@example.com'));
      assert.equal(held.language, 'ja');
    });

    it('refuse an unknown default language by name', async () => {
      const list = await mailingList();
      await assert.rejects(
        updateMailSettings(service.context, list.id, { language: 'klingon' as Language }),
        /language: must be one of en, de, fr/,
      );
    });

    it('have every default email, and each could be saved as an own template', async () => {
      const list = await mailingList({ referralUrl: 'https://acme.example/?ref={referralCode}' });
      const queue = await list.queue();
      for (const language of LANGUAGES) {
        for (const kind of KINDS) {
          await checkTemplate(kind, textsIn(language).mail.templates[kind]);
          const mail = await previewMail(service.context, queue, { kind, language }, SENDING);
          assert.match(mail.html, new RegExp(`<html lang="${textsIn(language).tag}"`));
          assert.match(mail.subject, /Acme/);
          assert.doesNotMatch(mail.text, /\{\{|\{%|\*\*|undefined/, `${language} ${kind}`);
          assert.doesNotMatch(mail.html, /\{\{|\{%|\*\*|undefined/, `${language} ${kind}`);
        }
      }
    });
  });

  describe('the language of a page', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_RATE_LIMIT_INVITE_ACCEPT: '12' } });
    });
    after(() => service.close());

    const open = (method: string, path: string, acceptLanguage?: string) =>
      service.request(method, path, {
        headers: acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage },
      });

    it("follows the browser, and the parameter before it, through the page's forms", async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('ada@example.com', { expiresAt: service.clock.now + 60_000 });
      const german = await open('GET', `/join/${code}`, 'de-CH, en;q=0.8');
      assert.match(german.text, /<html lang="de" dir="ltr">.*Deine Einladung zu Acme/s);
      assert.match(
        german.text,
        /gilt für <strong>ada@example\.com<\/strong> und läuft am 15\.\u00a0November 2026/,
      );
      assert.match(german.text, /action="\.\.\/join\/[\w-]+"/);
      assert.equal(german.headers.get('content-language'), 'de');
      assert.match(german.headers.get('vary') ?? '', /accept-language/i);
      const japanese = await open('GET', `/join/${code}?lang=ja`, 'de');
      assert.match(japanese.text, /<html lang="ja".*<strong>ada@example\.com<\/strong>宛ての招待です/s);
      assert.match(japanese.text, /action="\.\.\/join\/[\w-]+\?lang=ja"/);
      const accepted = await open('POST', `/join/${code}?lang=ja`, 'de');
      assert.match(accepted.text, /招待を受けました/);
      for (const odd of ['?lang=en&lang=de', '?lang=', '?lang=../../x', '?lang[]=de']) {
        const answer = await open('GET', `/join/${code}${odd}`, 'fr');
        assert.equal(answer.status, 409);
        assert.match(answer.text, /<html lang="fr"/, odd);
        assert.doesNotMatch(answer.text, /\.\.\/x/);
      }
      assert.equal((await open('GET', `/join/${code}?lang=%00`, 'fr')).status, 400);
    });

    it('is that of every page and of its refusals', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await updateMailSettings(service.context, list.id, { kinds: ['confirm', 'welcome'] });
      await list.signup({ email: 'ada@example.com' });
      const queue = await list.queue();
      const linkIn = async (page: string) => {
        const { mails } = await listMails(service.context, queue, { limit: 1 });
        const { mail } = await showMail(service.context, queue, mails[0]?.id ?? '', SENDING);
        return new RegExp(`/${page}/[\\w-]+`).exec(mail?.text ?? '')?.[0] ?? '';
      };
      const confirm = await linkIn('confirm');
      assert.match((await open('GET', confirm, 'es')).text, /Confirma tu correo/);
      service.clock.advance(1); // So that the next mail is newer.
      assert.match((await open('POST', `${confirm}?lang=pt`)).text, /Seu e‑mail foi confirmado/);
      const leave = await linkIn('leave');
      assert.match((await open('GET', leave, 'zh-CN')).text, /退订这些邮件/);
      assert.match((await open('POST', leave, 'fr')).text, /Vous avez quitté la liste d’attente/);
      assert.match((await open('POST', leave, 'de')).text, /Dieser Link funktioniert nicht/);
      assert.match((await open('GET', '/join/nonsense', 'ja')).text, /招待が見つかりません/);
      assert.match((await open('GET', `/join/${'x'.repeat(201)}`, 'de')).text, /Das hat nicht geklappt/);
      let last = await open('POST', '/join/nonsense', 'de');
      for (let i = 0; i < 12 && last.status !== 429; i += 1)
        last = await open('POST', '/join/nonsense', 'de');
      assert.equal(last.status, 429);
      assert.match(last.text, /Zu viele Anfragen/);
    });
  });
});
