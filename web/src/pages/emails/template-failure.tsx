import { Alert } from '../../ui/alert.tsx';

/** Above an email that has the default template because the waitlist's own one failed. */
export function TemplateFailure({ failure }: { failure: string | null | undefined }) {
  if (!failure) return null;
  return (
    <Alert tone="warn" title={`Your template ${failure} for this person`}>
      This is the default template, which people get instead.
    </Alert>
  );
}
