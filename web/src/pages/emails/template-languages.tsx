import { useNavigate } from '@tanstack/react-router';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { languageName } from './mail-names.ts';
import type { Template } from './mails.ts';

type State = Template['languages'][number];

/** Which language is edited, and what there is in the others. */
export function TemplateLanguages({ template: { language, languages } }: { template: Template }) {
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/emails/$kind' });
  const main = languages[0]?.language;
  return (
    <Field label="Language" help={helpOf(languages)}>
      <Select
        label="Language"
        value={language}
        options={languages.map((one) => ({
          value: one.language,
          label: languageName(one.language),
          about: stateOf(one, one.language === main),
        }))}
        onChange={(next) =>
          void navigate({
            search: (now) => ({ ...now, language: next === main ? undefined : next }),
            replace: true,
          })
        }
      />
    </Field>
  );
}

function stateOf({ custom, outOfDate }: State, isMain: boolean): string {
  const state = outOfDate ? 'Out of date' : custom ? 'Edited' : 'Default text';
  return isMain ? `${state}. Also for people whose language is not known` : state;
}

/** A text of your own in one language does not change the others. */
function helpOf(languages: readonly State[]): string {
  const names = (some: readonly State[]) => some.map(({ language }) => languageName(language)).join(', ');
  const defaults = languages.filter(({ custom }) => !custom);
  const outdated = languages.filter(({ outOfDate }) => outOfDate);
  if (defaults.length === languages.length) return 'People get the email in their language.';
  const parts = [
    outdated.length > 0 ? `Out of date: ${names(outdated)}.` : '',
    defaults.length > 0 ? `With the default text: ${names(defaults)}.` : '',
  ].filter(Boolean);
  return parts.join(' ');
}
