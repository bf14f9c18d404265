import { useSearch } from '@tanstack/react-router';
import { RotateCcw, Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError, say } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { focusHeading } from '../../shell/use-focus-page.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { CodeArea } from './code-area.tsx';
import { languageName } from './mail-names.ts';
import type { TaggedTemplate } from './mails.ts';
import { PreviewOptions } from './preview-options.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { Problems } from './problems.tsx';
import { TemplateLanguages } from './template-languages.tsx';
import { TestDialog } from './test-dialog.tsx';
import { usePreview } from './use-preview.ts';
import { useTemplateDraft } from './use-template-draft.ts';
import { Variables } from './variables.tsx';

export function TemplateEditor({ scope, template }: { scope: Scope; template: TaggedTemplate }) {
  const { kind, name, description, custom, enabled, variables, language, languages } = template;
  const outOfDate = languages.find((one) => one.language === language)?.outOfDate ?? false;
  const mayManage = useMay('admin');
  const [asking, setAsking] = useState<'test' | 'reset' | null>(null);
  const bodyField = useRef<HTMLTextAreaElement>(null);
  const subjectField = useRef<HTMLInputElement>(null);
  const last = useRef<'subject' | 'body'>('body');
  const { language: chosen } = useSearch({ from: '/shell/waitlists/$waitlistId/emails/$kind' });
  const [person, setPerson] = useState<string>();
  const { draft, set, dirty, meanwhile, save, reset, discard } = useTemplateDraft(scope, template, chosen);
  const shown = {
    language,
    ...(dirty ? draft : {}),
    ...(person === undefined ? {} : { entry: person }),
  };
  const preview = usePreview(scope, kind, shown);
  const insert = (text: string) => {
    const field = last.current === 'subject' ? subjectField.current : bodyField.current;
    if (!field) return;
    field.focus();
    // So that the browser's own undo takes it back.
    document.execCommand('insertText', false, text);
  };
  const goTo = (field: 'subject' | 'body', line: number | null) => {
    if (field === 'subject') return subjectField.current?.focus();
    const lines = draft.body.split('\n');
    const at = line ?? 1;
    const start = lines.slice(0, at - 1).reduce((sum, each) => sum + each.length + 1, 0);
    bodyField.current?.focus();
    bodyField.current?.setSelectionRange(start, start + (lines[at - 1]?.length ?? 0));
  };
  const about = (one: 'subject' | 'body') =>
    (preview.data?.problems ?? []).flatMap(({ field, line, message }) =>
      field === one ? { field, line, message: say(field, message) } : [],
    );
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
            {outOfDate && <Badge tone="warn">Out of date</Badge>}
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
        <Card>
          <div className="flex flex-col gap-5">
            <TemplateLanguages template={template} />
            {meanwhile && <ChangedMeanwhile meanwhile={meanwhile} onDiscard={discard} />}
            {outOfDate && (
              <Alert tone="warn" title="Out of date">
                {languageName(languages[0]?.language ?? language)} was edited after this text.
                {mayManage && !dirty && (
                  <span className="mt-2 block">
                    <Button size="sm" busy={save.busy} onClick={() => void save.run()}>
                      Mark as up to date
                    </Button>
                  </span>
                )}
              </Alert>
            )}
            <Field label="Subject" error={about('subject')[0]?.message}>
              <Input
                ref={subjectField}
                maxLength={500}
                autoComplete="off"
                readOnly={!mayManage}
                value={draft.subject}
                onFocus={() => {
                  last.current = 'subject';
                }}
                onChange={(event) => set({ subject: event.target.value })}
              />
            </Field>
            <div className="flex flex-col gap-2">
              <CodeArea
                ref={bodyField}
                label="Body"
                help="Markdown with variables. A link in a paragraph of its own becomes a button."
                readOnly={!mayManage}
                value={draft.body}
                invalid={about('body').length > 0}
                problemLines={about('body').flatMap(({ line }) => line ?? [])}
                onFocus={() => {
                  last.current = 'body';
                }}
                onChange={(body) => set({ body })}
              />
              <Problems problems={about('body')} onGo={goTo} />
            </div>
            <Variables variables={variables} onInsert={mayManage ? insert : undefined} />
          </div>
        </Card>
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
