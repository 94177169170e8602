import { signIn } from "picogrant";
import { startSimulatedService } from "picogrant-tools/service";

// Starts a simulated server that approves each code at once, as its user ada.
const service = await startSimulatedService({ approve: "ada" });

const session = await signIn({
  server: service.url, // can also be "github" or "https://login.example.com"
  clientId: "public-printer",
  scope: "openid",
  state: "tokens", // a directory, in which the next start finds the session
  onCode: ({ userCode, verificationUri, qr }) =>
    console.log(`${qr}\nOpen ${verificationUri} and enter ${userCode}`),
  onTrouble: ({ message }) => console.error(message), // for example if there is no network; picogrant retries
});
const response = await session.fetch(`${service.url}/userinfo`);
console.log(await response.json());

await session.signOut(); // session.close() would leave the tokens in the directory
await service.close();
