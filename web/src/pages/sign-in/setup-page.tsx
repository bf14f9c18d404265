import { COMMAND } from '../../command.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Centered } from './centered.tsx';

/** Before there is an owner. Whoever has the link is the owner, so it is not shown here. */
export function SetupPage() {
  return (
    <Centered
      title="Set up Doorlist"
      about="Only the person who started the server can create the first account."
      footer="Already opened the link? Then reload this page to sign in."
    >
      <ol className="flex list-decimal flex-col gap-3 pl-5">
        <li>Open the terminal or the log of the server.</li>
        <li>
          Find the line <strong>Create the owner’s account</strong> and open its link.
        </li>
        <li>The line is gone? Restart the server, or run this on its machine, with its variables:</li>
      </ol>
      <CodeBlock label="Command" snippets={[{ language: 'Shell', code: `${COMMAND} operator setup-link` }]} />
    </Centered>
  );
}
