// Has an answer verified over HTTP, with types that are made from the server's OpenAPI document.
//
//     groundwire serve --http-listen 127.0.0.1:8080
//     npm ci && npm run types && npm run build && node verify.js http://127.0.0.1:8080
//
// A token goes into the variable GROUNDWIRE_TOKEN.

import type { components } from "./groundwire.js";

type Check = components["schemas"]["HallucinationCheckRequest"];
type Checked = components["schemas"]["HallucinationCheckResponse"];
type Failed = components["schemas"]["HallucinationCheckFailure"];

const TIMEOUT_MS = 30_000;

// The server's report; throws where the answer could not be verified, so that nothing passes by mistake.
export async function check(server: string, request: Check, token?: string): Promise<Checked> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token) {
    headers.authorization = `Bearer ${token}`;
  }
  const response = await fetch(`${server}/v1/hallucination-check`, {
    method: "POST",
    headers,
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    const failed = (await response.json()) as Failed;
    throw new Error(`${response.status}: ${JSON.stringify(failed)}`);
  }
  return (await response.json()) as Checked;
}

const [server = "http://127.0.0.1:8080"] = process.argv.slice(2);
const checked = await check(
  server,
  {
    answer: "The tower is 330 m high [S0]. It opened in 1850 [S0].",
    sources: [{ id: "S0", text: "The tower is 330 m high. It opened in 1889." }],
  },
  process.env.GROUNDWIRE_TOKEN,
);
for (const claim of checked.hallucination_check.claims) {
  console.log(claim.verdict, claim.p1, claim.text);
}
console.log(checked.hallucination_check.overall_grounded, checked.warning);
