import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { CaptchaChoice } from './form-draft.ts';
import type { Form } from './form-query.ts';
import type { SettingsCardProps } from './settings-cards.tsx';

const CAPTCHAS: { value: CaptchaChoice; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
];

interface ProtectionCardProps extends SettingsCardProps {
  form: Form;
}

/** What keeps bots out. */
export function ProtectionCard({ form, draft, set, problem }: ProtectionCardProps) {
  const keepsSecret = form.captcha?.provider === draft.captcha;
  return (
    <Card
      title="Protection"
      about="A proof of work, a trap for bots and rate limits are always on. Nobody has to solve a puzzle."
    >
      <div className="flex max-w-lg flex-col gap-5">
        <Switch
          label="Block disposable email addresses"
          help="Checks the domain against a list of throwaway mailboxes."
          checked={draft.blockDisposable}
          onChange={(blockDisposable) => set({ blockDisposable })}
        />
        <Switch
          label="Block role addresses"
          help="Asks for a personal address instead of a shared one, such as info@ or admin@."
          checked={draft.blockRoleAddresses}
          onChange={(blockRoleAddresses) => set({ blockRoleAddresses })}
        />
        <Field label="CAPTCHA" help="In addition to the built-in checks." error={problem('captcha.provider')}>
          <Select
            label="CAPTCHA"
            value={draft.captcha}
            onChange={(captcha) => set({ captcha })}
            options={CAPTCHAS}
          />
        </Field>
        {draft.captcha !== 'none' && (
          <>
            <Field label="Site key" error={problem('captcha.siteKey')}>
              <Input
                required
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-sm"
                value={draft.siteKey}
                onChange={({ target: { value } }) => set({ siteKey: value })}
              />
            </Field>
            <Field
              label="Secret key"
              help={
                keepsSecret
                  ? 'Leave it empty to keep the stored one.'
                  : 'Stored encrypted, never shown again.'
              }
              error={problem('captcha.secret')}
            >
              <Input
                required={!keepsSecret}
                type="password"
                autoComplete="off"
                className="font-mono text-sm"
                value={draft.secret}
                onChange={({ target: { value } }) => set({ secret: value })}
              />
            </Field>
          </>
        )}
      </div>
    </Card>
  );
}
