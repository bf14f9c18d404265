import type { Snippet } from '../../ui/code-block.tsx';

/** How a receiver checks that a delivery is genuine. The secret comes from its environment. */
export const VERIFY_SNIPPETS: readonly Snippet[] = [
  {
    language: 'Node',
    code: `// npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = express();
app.use(express.raw({ type: 'application/json' }));
app.post('/hooks/doorlist', (request, response) => {
  try {
    const event = webhook.verify(request.body.toString(), request.headers);
    console.log(event.event, event.data);
    response.sendStatus(204);
  } catch {
    response.sendStatus(400);
  }
});
app.listen(4000);`,
  },
  {
    language: 'Python',
    code: `# pip install flask standardwebhooks
import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/hooks/doorlist")
def doorlist():
    headers = {name.lower(): value for name, value in request.headers}
    try:
        event = webhook.verify(request.get_data(as_text=True), headers)
    except WebhookVerificationError:
        return "", 400
    print(event["event"], event["data"])
    return "", 204`,
  },
  {
    language: 'Go',
    code: `// go get github.com/standard-webhooks/standard-webhooks/libraries
func doorlist(w http.ResponseWriter, r *http.Request) {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	body, readErr := io.ReadAll(r.Body)
	if err != nil || readErr != nil || webhook.Verify(body, r.Header) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}`,
  },
];
