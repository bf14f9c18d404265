import { useSearch } from '@tanstack/react-router';
import { RotateCcw, Send } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { focusHeading } from '../../shell/use-focus-page.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { languageName } from './mail-names.ts';
import type { TaggedTemplate } from './mails.ts';
import { PreviewOptions } from './preview-options.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { TemplateTextsCard } from './template-texts-card.tsx';
import { TestDialog } from './test-dialog.tsx';
import { usePreview } from './use-preview.ts';
import { useTemplateDraft } from './use-template-draft.ts';

export function TemplateEditor({ scope, template }: { scope: Scope; template: TaggedTemplate }) {
  const { kind, name, description, custom, enabled, language, languages } = template;
  const isOutOfDate = languages.find((one) => one.language === language)?.outOfDate ?? false;
  const mayManage = useMay('admin');
  const [asking, setAsking] = useState<'test' | 'reset' | null>(null);
  const { language: chosen } = useSearch({ from: '/shell/waitlists/$waitlistId/emails/$kind' });
  const [person, setPerson] = useState<string>();
  const texts = useTemplateDraft(scope, template, chosen);
  const { draft, dirty, save, reset } = texts;
  const shown = {
    language,
    ...(dirty ? draft : {}),
    ...(person === undefined ? {} : { entry: person }),
  };
  const preview = usePreview(scope, kind, shown);
  useEffect(focusHeading, []);
  return (
    <>
      <UnsavedGuard dirty={dirty} of="language" />
      <PageHeader
        title={name}
        about={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {description}
            <Badge tone={enabled ? 'accent' : 'neutral'}>{enabled ? 'On' : 'Off'}</Badge>
            {custom && <Badge tone="violet">Edited</Badge>}
            {isOutOfDate && <Badge tone="warn">Out of date</Badge>}
          </span>
        }
        actions={
          mayManage && (
            <>
              {custom && (
                <Button icon={<RotateCcw aria-hidden />} onClick={() => setAsking('reset')}>
                  Reset
                </Button>
              )}
              <Button icon={<Send aria-hidden />} onClick={() => setAsking('test')}>
                Send test
              </Button>
              <Button look="primary" idle={!dirty} busy={save.busy} onClick={() => void save.run()}>
                Save
              </Button>
            </>
          )
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <TemplateTextsCard template={template} texts={texts} isOutOfDate={isOutOfDate} preview={preview} />
        <PreviewPane
          preview={preview}
          about={`With ${person === undefined ? 'example values' : 'their values'}. Links do nothing here.`}
          options={
            <PreviewOptions
              person={person}
              onPerson={setPerson}
              problem={
                preview.error && person !== undefined ? ApiError.from(preview.error).sentence : undefined
              }
            />
          }
        />
      </div>
      {asking === 'test' && (
        <TestDialog scope={scope} kind={kind} shown={shown} onClose={() => setAsking(null)} />
      )}
      <ConfirmDialog
        open={asking === 'reset'}
        onClose={() => setAsking(null)}
        title={`Reset ${name}?`}
        about={`Your ${languageName(language)} text is replaced by the default, in every environment.`}
        action="Reset template"
        onConfirm={reset}
      />
    </>
  );
}
