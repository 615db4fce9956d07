// A front end on the API. Its types: npx openapi-typescript <site>/api/openapi.json -o api.d.ts
/** @typedef {import("./api.d.ts").paths} Paths */
/** @typedef {import("./api.d.ts").components["schemas"]} Schemas */
/** @template B @typedef {{content: {"application/json": B}}} Json */
/** @template O @typedef {O extends {requestBody?: Json<infer B>} ? B : never} Body */
/** @template O @typedef {O extends {responses: {200: Json<infer A>}} ? A : never} Answer */
/** @template O @typedef {O extends {parameters: infer V} ? V & {body?: Body<O>} : {}} Sent */

/** @type {(selector: string) => any} */
const $ = (selector) => document.querySelector(selector);
const pesos = (centavos) => `$ ${centavos / 100}`;
const format = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "short" });
const when = (time) => format.format(new Date(time));
const button = (label, act) =>
  Object.assign(document.createElement("button"), { textContent: label, onclick: () => tell(act) });

/**
 * Call an operation of the API. A refusal is an Error.
 * @type {<P extends keyof Paths, M extends "get" | "post">
 *   (method: M, path: P, sent?: Sent<Paths[P][M]>) => Promise<Answer<Paths[P][M]>>}
 */
const call = async (method, path, /** @type {any} */ sent = {}) => {
  const address = path.replace(/{(\w+)}/g, (_, name) => sent.path[name]);
  const query = new URLSearchParams(sent.query);
  const response = await fetch(`${address}?${query}`, { method, body: JSON.stringify(sent.body) });
  const answer = await response.json();
  if (response.ok) return answer;
  const [status, wait] = [response.status, Number(response.headers.get("Retry-After"))];
  throw Object.assign(new Error((answer.response ?? answer).error), { status, wait });
};

/** Show what an act says, or why it was refused; then the classes as they are now. */
async function tell(act) {
  $("[role=status]").textContent = (await act().catch((error) => error.message)) ?? "";
  if ($("main").hidden) return;
  $("ul").replaceChildren(...(await call("get", "/api/classes")).classes.map(showClass));
}

/** @type {(select: HTMLSelectElement, answer: Schemas["Slots"]) => void} */
const fill = (select, { slots }) =>
  select.replaceChildren(...slots.map((one) => new Option(when(one.start), JSON.stringify(one))));

async function showTimes() {
  const { type, minutes } = JSON.parse($("[name=kind]").value);
  fill($("[name=time]"), await call("get", "/api/slots", { query: { type, minutes } }));
}

async function book() {
  const { classType, students } = JSON.parse($("[name=kind]").value);
  /** @type {Schemas["Slot"]} */
  const slot = JSON.parse($("[name=time]").value);
  const wish = { ...slot, isGroupClass: classType === "grupal", studentsCount: students };
  const payment = await call("post", "/api/payments/preference", { body: wish });
  const { preferenceId, price, initPoint, expiresAt } = payment;
  const body = { ...wish, preferenceId, price, text: $("[name=text]").value };
  await call("post", "/api/booking", { body });
  // Opens another tab, because Mercado Pago sends the student back to the pages of the service.
  Object.assign($("a"), { href: initPoint, hidden: false });
  tell(() => schedule(preferenceId, Date.parse(expiresAt)));
  await showTimes();
  return "Please pay.";
}

async function schedule(preferenceId, until) {
  while (Date.now() < until) {
    try {
      await call("post", "/api/calendar", { body: { preferenceId } });
      $("a").hidden = true;
      return "Your class is scheduled.";
    } catch (/** @type {any} */ error) {
      if (error.status !== 402) throw error; // 402: not paid yet
      await new Promise((resolve) => setTimeout(resolve, error.wait * 1000));
    }
  }
  return "The class was not paid in time.";
}

/** @param {Schemas["OwnClass"]} one */
function showClass(one) {
  const [item, path] = [document.createElement("li"), { class_id: one.id }];
  const people = `${one.currentParticipants}/${one.maxParticipants}`;
  item.append([when(one.startTime), one.status, people, one.accessCode, one.htmlLink].join(" · "));
  if (one.moveUntil) {
    const times = document.createElement("select");
    call("get", "/api/classes/{class_id}/slots", { path }).then((free) => fill(times, free));
    item.append(times, button("Move", async () => {
      const { start } = JSON.parse(times.value);
      await call("post", "/api/classes/{class_id}/move", { path, body: { start } });
      return "Your class was moved.";
    }));
  }
  const refund = one.refundIfCancelled;
  if (refund !== null) {
    item.append(button(`Cancel, ${pesos(refund)} back`, async () => {
      await call("post", "/api/classes/{class_id}/cancel", { path, body: { refund } });
      return "Your class was cancelled.";
    }));
  }
  return item;
}

async function join() {
  const { response } = await call("post", "/api/access-code", { body: $("[name=code]").value });
  return `You are in the class of ${when(response.startTime)}.`;
}

async function start() {
  $("[name=csrfToken]").value = (await call("get", "/api/auth/csrf")).csrfToken;
  $("[name=callbackUrl]").value = location.href;
  const isSignedIn = "user" in (await call("get", "/api/auth/session"));
  $("main").hidden = !($("#sign-in").hidden = isSignedIn);
  if (!isSignedIn) return;
  const { prices } = await call("get", "/api/prices");
  for (const one of prices.filter(({ type, classType }) => type === classType)) {
    const name = `${one.title}, ${one.minutes} minutes, up to ${one.students}: ${pesos(one.price)}`;
    $("[name=kind]").append(new Option(name, JSON.stringify(one)));
  }
  await showTimes();
}

$("[name=kind]").onchange = () => tell(showTimes);
$("#book").onsubmit = () => (tell(book), false);
$("#join").onsubmit = () => (tell(join), false);
tell(start);
