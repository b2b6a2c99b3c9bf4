// One question to the mock through the TypeScript client: whole, streamed, and with a wrong key.

import Anthropic from "@anthropic-ai/sdk";

const [url, content] = process.argv.slice(2);
const asked = { model: "mock-reader", max_tokens: 100, messages: [{ role: "user", content: JSON.parse(content) }] };

const client = (apiKey) => new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });

// Text, cited text and tokens.
const seen = ({ content: [block], usage }) => [block.text, block.citations[0].cited_text, usage.output_tokens];

const whole = await client("test-key").messages.create(asked);
const streamed = await client("test-key").messages.stream(asked).finalMessage();
try {
  await client("wrong").messages.create(asked);
} catch (error) {
  if (!(error instanceof Anthropic.AuthenticationError)) throw error;
  console.log(JSON.stringify({ whole: seen(whole), streamed: seen(streamed), error: error.status }));
}
