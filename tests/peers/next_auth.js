// Calls the seven functions of next-auth/react 4 against a running service, as a page would.
// node next_auth.js <folder with the packages> <address of the service>

const assert = require("node:assert/strict");
const { createRequire } = require("node:module");
const path = require("node:path");

const [folder, base] = process.argv.slice(2);
const fromPeer = createRequire(path.join(folder, "package.json"));
const { JSDOM } = fromPeer("jsdom");

const dom = new JSDOM("<!doctype html><div id=root></div>", { url: `${base}/inicio` });
const jar = dom.cookieJar;
let wentTo = "";

// jsdom goes nowhere: what the client writes into location.href is noted instead.
const location = forward(dom.window.location, {
  set: (_, name, value) => {
    assert.equal(name, "href");
    wentTo = String(value);
    return true;
  },
});
const window = forward(dom.window, {
  get: (_, name) => (name === "location" ? location : read(dom.window, name)),
});
const { document, localStorage, navigator } = dom.window;
for (const [name, value] of Object.entries({ window, document, localStorage, navigator })) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}

// jsdom's own objects allow no proxy of themselves, so an empty one stands for them.
function forward(object, traps) {
  return new Proxy(
    {},
    {
      get: (_, name) => read(object, name),
      set: (_, name, value) => Reflect.set(object, name, value),
      has: (_, name) => name in object,
      ...traps,
    },
  );
}

function read(object, name) {
  const value = object[name];
  const isMethod = typeof value === "function" && !value.prototype;
  return isMethod ? value.bind(object) : value;
}

// Node's fetch with the cookies and the headers of a page; redirects are followed one by one.
const nodeFetch = globalThis.fetch;
globalThis.fetch = async (address, options = {}) => {
  const url = new URL(address, dom.window.location.href);
  const headers = new Headers(options.headers);
  headers.set("Cookie", await jar.getCookieString(url.href));
  if ((options.method || "GET").toUpperCase() !== "GET") headers.set("Origin", url.origin);
  const answer = await nodeFetch(url, { ...options, headers, redirect: "manual" });
  for (const cookie of answer.headers.getSetCookie()) await jar.setCookie(cookie, url.href);
  return answer;
};

const React = fromPeer("react");
const { createRoot } = fromPeer("react-dom/client");
const auth = fromPeer("next-auth/react");

const person = { email: "ana@demo.example", name: "Ana Álvarez" };
let seen = {};

function Page() {
  seen = auth.useSession();
  return null;
}

async function until(status) {
  for (let tries = 0; tries < 100 && seen.status !== status; tries += 1) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(seen.status, status);
}

// Plays the person at the provider's page and comes back by the callback.
async function consent(address) {
  const form = new URLSearchParams({ email: person.email });
  const chosen = await nodeFetch(address, { method: "POST", body: form, redirect: "manual" });
  const back = await fetch(chosen.headers.get("Location"));
  assert.equal(back.status, 302);
  return back.headers.get("Location");
}

async function main() {
  const providers = await auth.getProviders();
  assert.deepEqual(Object.keys(providers), ["google", "github"]);
  assert.equal(providers.google.callbackUrl, `${base}/api/auth/callback/google`);
  console.log("getProviders: google, github");

  assert.equal(await auth.getSession(), null);
  console.log("getSession: null for a stranger");

  assert.match(await auth.getCsrfToken(), /^\w{64}$/);
  console.log("getCsrfToken: a token");

  const params = { prompt: "select_account", login_hint: person.email, scope: "evil" };
  await auth.signIn("google", { callbackUrl: `${base}/inicio/perfil` }, params);
  const asked = new URL(wentTo).searchParams;
  assert.equal(asked.get("prompt"), "select_account");
  assert.equal(asked.get("login_hint"), person.email);
  assert.deepEqual(asked.get("scope").split(" ").sort(), ["email", "openid", "profile"]);
  assert.equal(await consent(wentTo), "/inicio/perfil");
  console.log("signIn: to the provider with its third argument, and back");

  const session = await auth.getSession();
  assert.equal(session.user.email, person.email);
  assert.ok(new Date(session.expires) > new Date());

  const root = createRoot(dom.window.document.getElementById("root"));
  root.render(React.createElement(auth.SessionProvider, null, React.createElement(Page)));
  await until("authenticated");
  assert.equal(seen.data.user.name, person.name);
  console.log("SessionProvider: renders its children");
  console.log("useSession: authenticated");

  const updated = await seen.update({ name: "Eve" });
  assert.deepEqual(updated, session);
  assert.deepEqual((await auth.getSession()).user, session.user);
  console.log("useSession, update(): the session as it is");

  const { url } = await auth.signOut({ redirect: false, callbackUrl: `${base}/` });
  assert.equal(url, `${base}/`);
  assert.equal(await auth.getSession(), null);
  await until("unauthenticated");
  console.log("signOut: nobody is signed in");
  root.unmount();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
